/** Splits a line as a shell does, as far as the documents go; a pipe, a redirection or a comment ends the command. */
export const words = (line: string): string[] =>
  [...(line.split(/ [|#>] ?|\s+#/)[0] ?? '').matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? '',
  );
