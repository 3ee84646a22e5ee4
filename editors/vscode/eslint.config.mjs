import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist", "node_modules", "harness/node_modules", "src/protocol.ts"] },
  {
    files: ["src/**/*.ts", "unit/**/*.ts", "test/**/*.ts", "harness/**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { project: ["./tsconfig.json", "./harness/tsconfig.json"], tsconfigRootDir: import.meta.dirname } },
    rules: {
      complexity: ["error", 12],
      "max-lines": ["error", 300],
      "max-lines-per-function": ["error", { max: 60, skipBlankLines: true, skipComments: true }],
      "no-console": "error",
      eqeqeq: "error",
      "@typescript-eslint/switch-exhaustiveness-check": "error",
    },
  },
  {
    // Suites are long lists of claims; node's `test` gives a promise that the runner waits for.
    files: ["unit/**/*.ts", "test/**/*.ts", "harness/**/*.ts"],
    rules: {
      "max-lines-per-function": "off",
      "@typescript-eslint/no-floating-promises": ["error", { allowForKnownSafeCalls: [{ from: "package", package: "node:test", name: ["test", "describe", "it"] }] }],
    },
  },
);
