/** Requests to the server, watched: what becomes of those that fail, and of those that take long. */
import type { Context } from "./context.ts";
import { GoneError, ServerEnded, codeOf } from "./errors.ts";
import { isLost, lostWords, proposalsIn } from "./model/failures.ts";
import { ErrorCode } from "./protocol.ts";

const LONG_MS = 20_000;
const RESTART = "Restart Server";
/** Answers when something has happened, however long that takes. */
const WAITS: ReadonlySet<string> = new Set(["sennit/wait"]);

export class WatchedRequests {
  /** One word about a server that hangs is enough. */
  private isToldToBeSlow = false;

  constructor(
    private readonly context: () => Context,
    private readonly restart: () => Promise<void>,
  ) {}

  async watch<T>(method: string, params: object, answer: Promise<T>): Promise<T> {
    const timer = setTimeout(() => { this.tellSlow(method); }, LONG_MS);
    try {
      return await answer;
    } catch (error) {
      throw await this.meant(method, params, error);
    } finally {
      clearTimeout(timer);
    }
  }

  private async meant(method: string, params: object, error: unknown): Promise<unknown> {
    const message = error instanceof Error ? error.message : String(error);
    const code = codeOf(error);
    if (isLost(code, message)) {
      return new ServerEnded(lostWords(method));
    }
    const isGone = (code === ErrorCode.UNKNOWN_TICKET && this.forgetTicket(params))
      || (code === ErrorCode.UNKNOWN_PROPOSAL && (await this.forgetProposals(method, params)));
    return isGone ? new GoneError(message, code) : error;
  }

  /** Whether it was shown. */
  private forgetTicket({ ticket }: { readonly ticket?: unknown }): boolean {
    const { sync } = this.context();
    if (typeof ticket !== "string" || sync.store.ticket(ticket) === undefined) {
      return false;
    }
    sync.store.forget(ticket);
    sync.touch();
    return true;
  }

  /** The same error tells of unknown units and old revisions; asking for the proposal alone tells which it is. */
  private async forgetProposals(method: string, params: object): Promise<boolean> {
    const { sync } = this.context();
    const known = proposalsIn(params).filter((id) => sync.store.proposal(id) !== undefined);
    if (method === "sennit/proposal") {
      const isAlone = !("revision" in params);
      known.filter(() => isAlone).forEach((id) => { sync.store.forgetProposal(id); });
      sync.touch();
      return isAlone && known.length > 0;
    }
    await Promise.all(known.map((id) => sync.readProposal(id)));
    return known.some((id) => sync.store.proposal(id) === undefined);
  }

  private tellSlow(method: string): void {
    if (this.isToldToBeSlow || WAITS.has(method)) {
      return;
    }
    this.isToldToBeSlow = true;
    const { notices, log } = this.context();
    const told = `The Sennit server has not answered ${method} for ${String(LONG_MS / 1_000)} s. It is still waited for.`;
    notices.warning(told, RESTART).then(async (clicked) => {
      this.isToldToBeSlow = false;
      if (clicked === RESTART) {
        await this.restart();
      }
    }).catch((error: unknown) => { log.error(String(error)); });
  }
}
