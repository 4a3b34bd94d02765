/** Column names that a command accepts in --columns. */
export const columnsOf = async (command: string): Promise<readonly string[]> => {
  const { default: document } = await import('#schema', { with: { type: 'json' } });
  return document.commands.find(({ name }) => name === command)?.output.columns ?? [];
};
