import type { Io } from '../core/io.ts';
import { memo } from '../core/memo.ts';

/** The rooms that more than one opener reaches, each loaded when it is first asked for. */
export const openRooms = (io: Io) => {
  const folders = memo(async () => (await import('../config/folders.ts')).findFolders(io.env));
  return {
    folders,
    emulator: memo(async () => (await import('../emulator/room.ts')).emulatorRoom),
    webhooks: memo(async () => (await import('../webhook/room.ts')).webhookRoom),
    bulk: memo(async () => (await import('../bulk/room.ts')).bulkRoom),
    protocol: memo(async () => import('../ledger/room.ts')),
    profiles: memo(async () => (await import('../config/profiles.ts')).openProfiles(io, await folders())),
  };
};

export type Rooms = ReturnType<typeof openRooms>;
