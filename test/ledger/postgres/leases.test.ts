import { describe, expect, it } from 'vitest';
import { sharedCluster } from '../../support/postgres.ts';
import { newSharedPlace } from '../support/postgres.ts';

const JOB = 'job-0000000000000001';

describe('a slice of a job', () => {
  it("is free after its lease expires by the server's clock", async () => {
    const place = newSharedPlace();
    const [ada, ben] = [await place.open(), await place.open({ worker: 'ben@ci' })];
    expect(await ada.jobs.lease(JOB, 0)).toBe(true);
    const [cluster, url] = [await sharedCluster(), await place.url()];
    const later = "UPDATE paycli.slice SET until = until - interval '61 s'";
    await cluster.sql(later, [], new URL(url).pathname.slice(1));
    expect(await ben.jobs.lease(JOB, 0)).toBe(true);
    expect(await ada.jobs.lease(JOB, 0)).toBe(false);
  });
});
