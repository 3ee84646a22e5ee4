/** How many tests a part ran. */
export interface Result {
  readonly passed: number;
  readonly failed: number;
}
