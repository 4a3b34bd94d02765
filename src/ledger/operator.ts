import { hostname, userInfo } from 'node:os';
import { tried } from '../core/tried.ts';
import { IN_NAMESPACE } from './approval.ts';
import { thisMachine } from './machine.ts';

/** Who acts: the account by its name, where it has one, and the number of whoever has logged in. */
interface Acting {
  readonly name: string | undefined;
  readonly uid: number | undefined;
  readonly loginUid: number | undefined;
  readonly host: string;
  readonly namespaced: boolean;
}

/** `ada@laptop`; behind sudo or su also who has logged in: `uid 1001 as ops@laptop`. A container may know no name, only a number. */
export const operatorText = ({ name, uid, loginUid, host, namespaced }: Acting): string => {
  const account = name ?? `uid ${uid ?? '?'}`;
  const behind = loginUid === undefined || loginUid === uid ? '' : `uid ${loginUid} as `;
  return `${behind}${account}@${host}${namespaced ? IN_NAMESPACE : ''}`;
};

/** Who decides here, for the record. */
export const operator = (): string =>
  operatorText({
    name: tried(() => userInfo().username),
    uid: thisMachine.uid,
    loginUid: thisMachine.loginUid(),
    host: hostname(),
    namespaced: thisMachine.inUserNamespace(),
  });
