/** Things that a column of a statement holds. `ignored`: nothing that is compared. */
export const ROLES = [
  'date',
  'amount',
  'debit',
  'side',
  'currency',
  'status',
  'text',
  'reference',
  'fee',
  'ignored',
] as const;
export type Role = (typeof ROLES)[number];

/** The order of the day and the month in a date of numbers. */
export type DateForm = 'dmy' | 'mdy';

/** Columns and words of the files of one bank or provider. */
export interface Layout {
  readonly name: string;
  /** Columns that identify it, as `bareTitle` writes them: all must be there. */
  readonly header: readonly string[];
  /**
   * Columns by role, as `bareTitle` writes them. `amount` holds signed amounts, or money in if there is a `debit` or a
   * `side`. The words of the header find a role that isn't here.
   */
  readonly columns?: Readonly<Partial<Record<Role, readonly string[]>>> | undefined;
  readonly dateForm?: DateForm | undefined;
  /** True if amounts without decimals count the minor unit. */
  readonly minor?: boolean | undefined;
  /** The currency of a file that names none. */
  readonly currency?: string | undefined;
  /** Words of the column of statuses, in lower case: money that came or left, and rows that are left out. */
  readonly statuses?: { readonly booked: readonly string[]; readonly left: readonly string[] } | undefined;
  /** Words of the column of sides, in lower case. */
  readonly sides?: { readonly in: readonly string[]; readonly out: readonly string[] } | undefined;
  /** Whole cells, in lower case, that mark a row as no transaction. */
  readonly labels?: readonly string[] | undefined;
}

/**
 * Layouts of banks and providers, as their exports are known in public. The words of a header find the columns that an
 * entry doesn't name. None has a form of dates: a header proves none.
 */
export const LAYOUTS: readonly Layout[] = [
  { name: 'gtbank', header: ['transdate', 'reference', 'debits', 'credits', 'originatingbranch', 'remarks'] },
  { name: 'zenith', header: ['date', 'description', 'debit', 'credit', 'valuedate', 'balance'] },
  { name: 'access', header: ['posteddate', 'valuedate', 'description', 'debit', 'credit', 'balance'] },
  { name: 'uba', header: ['transdate', 'valuedate', 'narration', 'chqno', 'debit', 'credit', 'balance'] },
  { name: 'first-bank', header: ['transdate', 'reference', 'transactiondetails', 'deposit', 'withdrawal'] },
  { name: 'opay', header: ['description', 'debit', 'credit', 'balanceafter', 'channel', 'transactionreference'] },
  {
    name: 'kuda',
    header: ['datetime', 'moneyin', 'moneyout', 'category', 'tofrom', 'description', 'balance'],
    columns: { ignored: ['category'] },
  },
  { name: 'palmpay', header: ['transactiondate', 'transactiondetail', 'moneyin', 'moneyout', 'transactionid'] },
  {
    name: 'moniepoint',
    header: ['date', 'transactionstatus', 'transactionref', 'settlementdebit', 'settlementcredit', 'narration'],
    columns: { ignored: ['reversalstatus'] },
  },
  {
    name: 'providus',
    header: ['transactiondate', 'actualtransactiondate', 'transactiondetails', 'debitamount', 'creditamount'],
  },
  {
    name: 'paystack',
    header: ['id', 'reference', 'amount', 'currency', 'status', 'paidat', 'channel'],
    statuses: {
      booked: ['success'],
      left: ['abandoned', 'failed', 'ongoing', 'pending', 'processing', 'queued', 'reversed'],
    },
  },
  {
    name: 'flutterwave',
    header: ['txref', 'flwref', 'settledamount', 'currency', 'status'],
    statuses: { booked: ['successful'], left: ['failed', 'pending'] },
  },
  {
    name: 'monnify',
    header: ['transactionreference', 'paymentreference', 'amountpaid', 'paidon', 'paymentstatus'],
    statuses: {
      booked: ['paid', 'overpaid', 'partially_paid'],
      left: ['abandoned', 'cancelled', 'expired', 'failed', 'pending', 'reversed'],
    },
  },
  { name: 'fnb', header: ['date', 'amount', 'balance', 'description'] },
  {
    name: 'capitec',
    header: ['postingdate', 'transactiondate', 'originaldescription', 'moneyin', 'moneyout', 'fee', 'balance'],
    columns: { ignored: ['parentcategory', 'category'] },
    currency: 'ZAR',
  },
  {
    name: 'mpesa',
    header: ['receiptno', 'completiontime', 'details', 'transactionstatus', 'paidin', 'withdrawn'],
    columns: {
      date: ['completiontime'],
      amount: ['paidin'],
      debit: ['withdrawn'],
      reference: ['receiptno', 'acno'],
      ignored: ['balanceconfirmed'],
    },
    statuses: { booked: ['completed'], left: ['cancelled', 'declined', 'expired', 'failed', 'pending'] },
  },
  {
    name: 'camt',
    header: ['bookingdate', 'amount', 'creditdebitindicator'],
    columns: {
      date: ['bookingdate'],
      side: ['creditdebitindicator'],
      reference: ['endtoendid'],
      text: ['remittanceinformation'],
      // The side is that of the reversal itself.
      ignored: ['reversalindicator'],
    },
    sides: { in: ['crdt'], out: ['dbit'] },
    statuses: { booked: ['book', 'booked'], left: ['info', 'pdng', 'pending'] },
  },
  {
    name: 'mt940',
    header: ['valuedate', 'amount', 'debitcreditmark'],
    columns: { side: ['debitcreditmark'] },
    // RC takes a credit back, and RD a debit.
    sides: { in: ['c', 'rd'], out: ['d', 'rc'] },
  },
];
