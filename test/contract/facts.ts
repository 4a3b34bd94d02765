/** A fact from the service's public material, in our words, and the tests that check it. */
export type Fact = readonly [fact: string, ...tests: readonly (readonly [file: string, title: string])[]];

const shop = (title: string) => ['emulator/ugwo-all', title] as const;
const customer = (title: string) => ['emulator/onye-all', title] as const;
const checkout = (title: string) => ['emulator/checkout', title] as const;
const refund = (title: string) => ['emulator/refund', title] as const;
const plugin = (title: string) => ['emulator/clients', title] as const;
const page = (title: string) => ['emulator/page', title] as const;
const asked = ['client/operations', '%s sends a documented request and accepts the answer'] as const;
const delivered = (title: string) => ['emulator/webhooks', title] as const;
const told = (title: string) => ['emulator/outbox', title] as const;
const PAID_TWICE = delivered('a charge that is paid twice and refunded');
const CHANGES = told('each change of a record writes an event in the same transaction');
const works = plugin('tests the connection, creates, updates, reads, refunds and cancels');
const older = plugin('the older shop plugin creates a customer with empty address fields, then the payment request');
const CREATED = customer('e-mail is required and saved in lower case, names are title-cased, and a get shows the same');
const LIMITS = [
  'contract/update',
  'accepts a %s of %d characters, counted as characters, and rejects one more',
] as const;

/** The public facts that tests check. */
export const FACTS: readonly Fact[] = [
  // Environments and keys
  [
    'the origins of the live service and of the sandbox',
    ['core/origin', 'uses the published origins for the two public environments'],
  ],
  ['a key is sk., four characters and eighty', asked, ['emulator/guard', 'accepts the key of the data file']],
  [
    'a public key is a 401 on the API',
    page('the public key opens this page only: 401 on the merchant API, and no other method here'),
    ['client/transport', "with characters that a header can't contain is rejected and not quoted"],
  ],
  ['a key of another environment is a 401', ['emulator/guard', 'the key of another data file is a 401']],
  [
    'so is one with a blank or a line end',
    ['client/transport', "with characters that a header can't contain is rejected and not quoted"],
  ],
  [
    'identifiers: a prefix, four characters, twenty-four; opaque else',
    ['core/ids', 'accepts any two or more segments of letters, digits and underscores after its prefix'],
    CREATED,
  ],
  [
    'those of the sandbox end in _t',
    ['emulator/dialect', 'is accepted in both dialects and by settle, like the full id'],
  ],
  // Customers
  ['a customer is created; the e-mail is required and kept in small letters; names get capitals', CREATED, asked],
  ['customers are listed as everything is', customer('follows the list contract, newest first'), asked],
  ['a customer is read', ['emulator/get', 'returns the current customer'], asked],
  ['and updated in part', ['emulator/onye', 'only the fields sent change, omitted fields keep their values'], asked],
  [
    'and deleted: the answer is what it was',
    customer('returns the customer as before the deletion, which is then unknown and unlisted'),
    asked,
  ],
  ['their reference is `ref`, 150 characters at most', LIMITS],
  ['the address: its six fields and their lengths', LIMITS, ['contract/update', 'rejects the country %j']],
  [
    'an address line, a zip and a state may come blank at a creation',
    older,
    customer('accepts "" for address2, zip and state, and [] for an empty meta'),
  ],
  ['a customer shows ref, billing_address, status and created_at', CREATED],
  // Payment requests
  [
    'a payment request is created of an amount in the minor unit, a currency, and what may be left out',
    shop('returns the payment request, routed by its currency and listed first'),
    ['contract/others', 'the body that creates a payment request (public material)'],
    asked,
  ],
  ['metadata may be sent as meta', shop('metadata may be named meta, and an empty one be []')],
  [
    'onye_email makes a customer, or finds the one that is there',
    shop('onye_email creates a customer, which the next request finds: onye_nzube {uid, first_name, last_name}'),
  ],
  [
    'payment requests are listed newest first',
    ['emulator/list', 'returns a list page (2.6) of payment requests (2.2), newest first'],
    ['blackbox/find', 'once all later requests are older than --since'],
  ],
  ['one alone shows every activity on it', ['emulator/get', 'contains its own activities, oldest first']],
  [
    'it is cancelled while nobody has begun to pay',
    shop("cancels a requires_ugwo request once, after which it can't be charged"),
    asked,
  ],
  ['and else that is a 409', shop('is a 409 for a paid or processing request, and a 404 for an unknown one')],
  [
    'its statuses while it is paid',
    ['emulator/settle', 'a processing activity can be settled, and its payment request is processing until then'],
  ],
  ['and once money went back', refund('refunds a part (partially_refunded), then the rest')],
  ['its fields', ['contract/answers', '%s parses to itself'], works],
  [
    'a ref is taken once in a workspace',
    shop('ref is unique: 409 with the code known to the plugin, and nothing is created'),
  ],
  [
    'so a creation with a ref may be sent again: done where it is the same request, else a conflict',
    ['blackbox/creates', 'exits with 0 if the reference belongs to %s'],
    ['blackbox/creates', 'reports a conflict if a field %s'],
  ],
  ['amounts in NGN: 20,000 to 5,000,000,000', shop('accepts the amount %i'), shop('the amount %j is 422')],
  // Activities
  [
    'an activity is read, to see what becomes of it',
    ['emulator/get', 'returns the activity'],
    ['blackbox/strict', 'with a service that only knows the documented API'],
  ],
  [
    'its later statuses',
    ['charge/payment', 'the payment of an activity'],
    ['emulator/settle', 'successful: the activity succeeds, its payment request is paid, and reads show the same'],
  ],
  [
    'and those after refunds',
    refund('refunds the full payment after a while: activity and payment request become refunded'),
  ],
  [
    'an activity may name its payment request',
    ['contract/proof', 'rejects an activity that names another payment request'],
  ],
  [
    'and say what was paid by it, and that it was paid twice',
    ['emulator/settle', 'a second success is a double charge and counts as paid'],
  ],
  [
    'there is no idempotency key: a second POST is a second activity',
    ['emulator/charge', 'rule 2: activities are independent; creating one does not alter or block the others'],
    ['client/send', 'end after an accepted one'],
  ],
  [
    'there are mediums beyond the three, such as pay_with_bank',
    ['contract/answers', 'a checkout may offer unknown mediums, in either form'],
  ],
  // Checkouts
  ['checkouts come in a bare array', checkout('answers a bare array, no pagination'), asked],
  [
    'filtered by status and currency, each as often as is wanted',
    ['client/operations', 'a list parameter is repeated in the query with encoded brackets'],
    checkout('rejects an invalid filter of %s with 422'),
  ],
  [
    'one checkout has a plain currency, a status and its mediums in their order',
    checkout('has uid, name, a plain currency, status, and mediums with their position'),
  ],
  [
    'who serves a medium, and for which banks',
    checkout('returns [{psp, banks: [{code, name}]}], which varies by medium'),
  ],
  // Errors
  ['200 for every success', ['contract/operations', '%s succeeds with 200 and can meet 401, 403 and 422']],
  ['400, 402, 404, 405, 409, 415 and 422 are a no', ['client/judge', "%i with the service's error document: rejected"]],
  ['401 and 403 are about the key', ['client/judge', "%i with the service's error document: auth"]],
  [
    'a 500 proves nothing of a write, and reads are tried again',
    ['client/judge', '%i: unknown, whatever the body'],
    ['client/send', 'the attempts of a read'],
  ],
  ['402: the balance of the workspace itself', shop('with metadata.emulate 402 is rejected for lack of balance')],
  [
    'errors as RFC 7807, with violations',
    ['contract/problem', 'reads a validation failure with its violations in order'],
    ['contract/openapi', 'on the error document %s'],
  ],
  [
    'errors as message and errors',
    ['contract/problem', 'reads the second shape, with or without a field name'],
    ['emulator/dialect', 'writes errors in the second shape'],
  ],
  ['a 401 may have an empty body', ['client/judge', '401 with any body, and 403 with a JSON object: auth']],
  ['the newer plugin reads message and errors alone', plugin('reads each rejection from message and errors')],
  ['a currency may not be allowed', shop('a currency of another workspace: nzube.ugwo.error.currency_not_allowed')],
  ['the codes of the hosted page', page('for a paid request: error ugwo_processed at once')],
  [
    'a nested field at fault may be written in several ways',
    ['contract/others', 'reports each fault once, in any notation: %s'],
    ['blackbox/odd-answers', 'of %s names the option for each path'],
  ],
  // What tolerant readers must accept
  [
    'an enum is a text or a pair with a label',
    ['contract/answers', '%s accepts unknown values, alone or in a pair with a label'],
  ],
  [
    'whose label is a key for translators',
    ['blackbox/odd-answers', 'shows a label of its own for a pair whose label is a translation key'],
  ],
  [
    'psp and the kind of a next action may be of any shape, too',
    ['client/answer-shapes', 'an activity'],
    ['contract/openapi', 'takes %s'],
  ],
  ['fields and values appear without notice', ['contract/answers', '%s keeps its undocumented fields at every depth']],
  ['and may be missing', ['contract/answers', 'of a %s: %s is required only if it is indispensable']],
  [
    '[] stands for an empty object',
    ['contract/common', 'anyMembers and membersOrText'],
    ['blackbox/dialect', 'charges by mobile_money, where [] means no next action'],
  ],
  ['numbers come as texts', ['contract/common', 'numeric accepts %j']],
  ['moments come in several forms', ['core/time', 'readInstant']],
  [
    'too much may be paid, too little, and a payment be taken back',
    shop('above the amount: ugwo_successful, with total_amount_paid above amount'),
    ['emulator/settle', 'leaves the request open for what is missing, which the next charge asks for'],
    shop('reversed by the provider: the activity has failed, and the request is open again'),
  ],
  ['shops believe what a read says of amount paid, currency and ref', works],
  // Refunds
  [
    'a refund names an activity; the rest may be left out',
    ['contract/others', 'the body of a refund (public material)'],
    asked,
  ],
  [
    'it is answered with uid, status, amount and error',
    refund('refunds the full payment after a while: activity and payment request become refunded'),
    ['contract/others', 'accept any non-empty uid for a refund'],
  ],
  [
    'the codes of a refund that is refused',
    refund('refund_amount_too_high: above the rest, including pending refunds'),
    refund('refund_amount_too_low: below 20,000 kobo'),
  ],
  [
    'a destination may be needed, an account of ten digits',
    refund('missing_destination: a transfer needs an account of 10 digits'),
  ],
  ['a refund may fail at once, and says why', plugin('asks for a missing destination and shows why a refund failed')],
  ['or end later', refund('metadata.emulate refund:successful:1m: succeeds later')],
  ['its status may be a pair', ['emulator/dialect', 'writes new, cancelled, refunded and listed records']],
  // The service's own clients
  [
    'what the newer plugin sends, and reads of the answers',
    works,
    plugin('fails its connection test with another key'),
  ],
  ['what the older one does', older],
  ['where a ref is taken, the plugin takes the next', works],
  [
    'the messages of the hosted page to the page around it',
    page('are ready, theme and resize, to one origin, and close'),
    page('after "I have paid": polls until the payment, then success with the activity'),
  ],
  ['and of a charge that fails', page('after a failed charge: error with its code and message')],
  // Webhooks
  [
    'a webhook is a POST with a signature of its raw body and an id of the delivery; data is the resource as its GET shows it',
    delivered('is a POST with a signature of its raw body and its own id; data equals the answer to a GET'),
    ['core/webhook-event', 'is the hex HMAC-SHA256 of the raw body'],
  ],
  ['its signature is empty without a secret', delivered('has an empty signature if the webhook has no secret')],
  ['which events there are', told('%s is well-formed and changes no record'), CHANGES],
  ['what a second payment of one request does is told by an event', PAID_TWICE],
  ['the end of a refund is told by an event, which names the payment request', PAID_TWICE],
  [
    'a delivery that is not answered 2xx is tried twice more, 30 minutes apart, with the same uid',
    delivered('without a 2xx is retried twice, 30 minutes apart by the clock, with the same uid and new ids'),
  ],
  ['receivers answer 400, 401 or 500 to be sent an event again', delivered('that answers %i gets the event again')],
  [
    "an endpoint's secret begins with wsk.",
    [
      'blackbox/emulator-webhooks',
      'delivers a change by another process, signed with a secret that only its file contains',
    ],
  ],
  [
    'the uid of an event of the sandbox ends in _t',
    delivered("in the live dialect, data equals that dialect's GET, and the uid ends in _t"),
  ],
  [
    'in an event of an activity the request is data.ugwo_uid',
    PAID_TWICE,
    ['core/webhook-event', 'an activity with ugwo_uid'],
  ],
  // Bank codes
  ['the codes of the banks', ['emulator/charge', 'accepts every code of the table']],
  [
    'which codes there are is for the service to say',
    ['blackbox/dialect', 'recognises an unknown bank code and names --provider'],
  ],
];

/** The public facts that no test can check here, and why. */
export const NOT_TESTED: readonly (readonly [fact: string, why: string])[] = [
  ['the two environments share neither data nor keys', 'is for the service alone to keep; no test calls it'],
  ['a key that is rotated ends at once', 'the key of an emulator is never changed'],
  [
    'the four characters of an identifier name a workspace, and are not unique',
    'nothing here concludes anything from them',
  ],
  ["a customer's metadata are texts", 'the specification says free-form, and comes first: any value is passed on'],
  ['an endpoint is made in the dashboard, and nowhere else', 'there is no operation for it that could be asked'],
  ['there are events ugwo.activity.next_action.*, too', 'nothing is public of when they come, or of what is in them'],
  ['the clients of the service wait 30 seconds and repeat nothing', 'says something of them, not of what they need'],
];
