import type { Row, Run } from './screen.ts';

const CELL = 8;
const LINE = 18;
const EDGE = 16;

// An image follows the reader's system, not the page, so it has its own background.
const STYLE = `
  text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #1f2328; white-space: pre }
  .ground { fill: #ffffff; stroke: #d1d9e0 }
  .bold { font-weight: 600 }
  .dim { fill: #59636e }
  .red { fill: #c2261e } .green { fill: #1a7f37 } .yellow { fill: #8a5a00 }
  .blue { fill: #0969da } .magenta { fill: #8250df } .cyan { fill: #0b6e7d }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .ground { fill: #161b22; stroke: #3d444d }
    .dim { fill: #9198a1 }
    .red { fill: #ff7b72 } .green { fill: #3fb950 } .yellow { fill: #d29922 }
    .blue { fill: #58a6ff } .magenta { fill: #bc8cff } .cyan { fill: #39c5cf }
  }
`;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Sets the width in cells, so that columns stay aligned in any font. */
const textOf = ({ column, text, look }: Run, row: number): string => {
  const shown = text.trim();
  const from = column + text.length - text.trimStart().length;
  const kind = look === '' ? '' : ` class="${look}"`;
  const place = `x="${EDGE + from * CELL}" y="${EDGE + row * LINE + 13}" textLength="${shown.length * CELL}"`;
  return `<text${kind} ${place} lengthAdjust="spacingAndGlyphs" xml:space="preserve">${escaped(shown)}</text>`;
};

/** A picture of a terminal, light or dark like the reader's system. */
export const svgOf = (title: string, rows: readonly Row[], columns: number): string => {
  const [width, height] = [2 * EDGE + columns * CELL, 2 * EDGE + rows.length * LINE];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}</style>`,
    `<rect class="ground" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6"/>`,
    ...rows.flatMap((row, index) => row.map((run) => textOf(run, index))),
    '</svg>',
    '',
  ].join('\n');
};
