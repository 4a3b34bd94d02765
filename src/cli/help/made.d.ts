/** Help topics as blocks of text, which the build makes from docs/; package.json maps the module. */
declare module '#topics' {
  type Block =
    | { readonly kind: 'heading' | 'text' | 'item' | 'code'; readonly text: string }
    | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };
  const topics: Readonly<Record<string, readonly Block[]>>;
  export default topics;
}

/** The commands on the first page of help, which the build makes from their declarations. */
declare module '#overview' {
  const commands: readonly (readonly [names: string, about: string])[];
  export default commands;
}
