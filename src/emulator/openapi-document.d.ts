/** The contract as an OpenAPI document, which the build makes: package.json says where it is. */
declare module '#openapi' {
  const document: Readonly<Record<string, unknown>>;
  export default document;
}
