import { expect, it } from 'vitest';
import { jobId } from '../../src/bulk/run-file.ts';

it('is the same for the same, and another one for all else', () => {
  const id = jobId(['ugwo charge', 'https://api.example', 'digest']);
  expect(id).toMatch(/^job-[0-9a-hj-km-np-z]{16}$/);
  expect(jobId(['ugwo charge', 'https://api.example', 'digest'])).toBe(id);
  const others = [
    ['ugwo charge', 'https://api.example', 'other'],
    ['ugwo charge', 'https://api.example', 'digest', ''],
    // Where one part ends and the next begins counts.
    ['ugwo chargeh', 'ttps://api.example', 'digest'],
    ['ugwo charge11:', 'https://api.example', 'digest'],
  ];
  expect(new Set([id, ...others.map(jobId)]).size).toBe(others.length + 1);
});
