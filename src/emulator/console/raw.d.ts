/** The text of a file, which the build puts into the bundle. */
declare module '*?raw' {
  const text: string;
  export default text;
}
