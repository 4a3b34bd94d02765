import { expect, it } from 'vitest';
import { jobId } from '../../src/bulk/run-file.ts';

it('jobId is equal for equal parts and different for others', () => {
  const id = jobId(['ugwo charge', 'https://api.example', 'digest']);
  expect(id).toMatch(/^job-[0-9a-hj-km-np-z]{16}$/);
  expect(jobId(['ugwo charge', 'https://api.example', 'digest'])).toBe(id);
  const others = [
    ['ugwo charge', 'https://api.example', 'other'],
    ['ugwo charge', 'https://api.example', 'digest', ''],
    // The boundary between parts matters.
    ['ugwo chargeh', 'ttps://api.example', 'digest'],
    ['ugwo charge11:', 'https://api.example', 'digest'],
  ];
  expect(new Set([id, ...others.map(jobId)]).size).toBe(others.length + 1);
});
