/** The topics of help as blocks of text, which the build makes of docs/: package.json says where they are. */
declare module '#topics' {
  type Block =
    | { readonly kind: 'heading' | 'text' | 'item' | 'code'; readonly text: string }
    | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };
  const topics: Readonly<Record<string, readonly Block[]>>;
  export default topics;
}

/** Every command as the first page of help shows it, which the build makes of their declarations. */
declare module '#overview' {
  const commands: readonly (readonly [names: string, about: string])[];
  export default commands;
}
