/** The command schema. The build generates it; package.json gives its path. */
declare module '#schema' {
  interface Command {
    readonly name: string;
    readonly aliases?: readonly string[];
    readonly output: { readonly columns: readonly string[] };
  }
  const document: Readonly<Record<string, unknown>> & {
    readonly commands: readonly Command[];
    readonly $defs: Readonly<Record<string, unknown>>;
  };
  export default document;
}
