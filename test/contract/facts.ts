/** A fact of the service's public material, in our own words, and the tests that hold it. */
export type Fact = readonly [fact: string, ...tests: readonly (readonly [file: string, title: string])[]];

const shop = (title: string) => ['emulator/ugwo-all', title] as const;
const customer = (title: string) => ['emulator/onye-all', title] as const;
const checkout = (title: string) => ['emulator/checkout', title] as const;
const refund = (title: string) => ['emulator/refund', title] as const;
const plugin = (title: string) => ['emulator/clients', title] as const;
const page = (title: string) => ['emulator/page', title] as const;
const asked = ['client/operations', '%s is asked as they say, and its answer is taken'] as const;
const delivered = (title: string) => ['emulator/webhooks', title] as const;
const told = (title: string) => ['emulator/outbox', title] as const;
const PAID_TWICE = delivered('a charge that is paid, twice, and given back');
const CHANGES = told('each record that changed was told as it stands, in the transaction that changed it');
const works = plugin('does all of its work: connection test, create, update, get, refund, cancel');
const older = plugin('the older shop plugin: a customer first, with blanks in its address, then the payment request');
const CREATED = customer('e-mail is required and saved in lower case, names are title-cased, and a get shows the same');
const LIMITS = ['contract/update', 'takes a %s of %d characters, counted as characters, and refuses one more'] as const;

/** What is public of the service, and held by a test. */
export const FACTS: readonly Fact[] = [
  // Environments and keys
  [
    'the origins of the live service and of the sandbox',
    ['core/origin', 'of the two public environments rests on the origins that the service publishes'],
  ],
  ['a key is sk., four characters and eighty', asked, ['emulator/guard', 'the key of the data file opens the service']],
  [
    'a public key is a 401 on the API',
    page('the public key reads, and does nothing else: 401 on the merchant API, and no other method here'),
    ['client/transport', 'that can not stand in a header is refused and not quoted'],
  ],
  ['a key of another environment is a 401', ['emulator/guard', 'the key of another data file is a 401']],
  [
    'so is one with a blank or a line end',
    ['client/transport', 'that can not stand in a header is refused and not quoted'],
  ],
  [
    'identifiers: a prefix, four characters, twenty-four; opaque else',
    ['core/ids', 'takes any two or more segments of letters, digits and underscores after its prefix'],
    CREATED,
  ],
  [
    'those of the sandbox end in _t',
    ['emulator/dialect', 'is understood by either dialect and by settle, beside the whole one'],
  ],
  // Customers
  ['a customer is created; the e-mail is required and kept in small letters; names get capitals', CREATED, asked],
  ['customers are listed as everything is', customer('follows the list contract, newest first'), asked],
  ['a customer is read', ['emulator/get', 'is the customer as it stands, and no other'], asked],
  ['and updated in part', ['emulator/onye', 'only the fields sent change, omitted fields keep their values'], asked],
  [
    'and deleted: the answer is what it was',
    customer('answers the snapshot from before the deletion; afterwards 404 and not listed'),
    asked,
  ],
  ['their reference is `ref`, 150 characters at most', LIMITS],
  ['the address: its six fields and their lengths', LIMITS, ['contract/update', 'refuses the country %j']],
  [
    'an address line, a zip and a state may come blank at a creation',
    older,
    customer('the older plugin sends address2, zip and state as "", and an empty meta as []'),
  ],
  ['a customer shows ref, billing_address, status and created_at', CREATED],
  // Payment requests
  [
    'a payment request is created of an amount in the minor unit, a currency, and what may be left out',
    shop('answers with the payment request, which is routed by its currency and listed first'),
    ['contract/others', 'the body that creates a payment request (public material)'],
    asked,
  ],
  ['metadata may be sent as meta', shop('metadata may be sent as meta, and an empty one as []')],
  [
    'onye_email makes a customer, or finds the one that is there',
    shop('onye_email makes a customer, and the next one finds it: onye_nzube {uid, first_name, last_name}'),
  ],
  [
    'payment requests are listed newest first',
    ['emulator/list', 'the answer is a list page (2.6) of payment requests (2.2), newest first'],
    ['blackbox/find', 'stops where all that follows is older than --since'],
  ],
  [
    'one alone shows every activity on it',
    ['emulator/get', 'has every activity on it, oldest first, and none of another'],
  ],
  [
    'it is cancelled while nobody has begun to pay',
    shop('cancels one that is requires_ugwo, once; it takes no charge any more'),
    asked,
  ],
  ['and else that is a 409', shop('is a 409 for one that is paid or processing, and a 404 for an unknown one')],
  [
    'its statuses while it is paid',
    [
      'emulator/settle',
      'an activity that is processing can be settled, too, and its payment request is processing until then',
    ],
  ],
  ['and once money went back', refund('a part first: partially_refunded; then the rest')],
  ['its fields', ['contract/answers', '%s parses to itself'], works],
  [
    'a ref is taken once in a workspace',
    shop('ref is unique: 409 with the code that the plugin knows, and nothing is made'),
  ],
  [
    'so a creation with a ref may be sent again: done where it is the same request, else a conflict',
    ['blackbox/creates', 'is done where the reference has the same request'],
    ['blackbox/creates', 'is a conflict where it has another'],
  ],
  ['amounts in NGN: 20,000 to 5,000,000,000', shop('the amount %i is taken'), shop('the amount %j is 422')],
  // Activities
  [
    'an activity is read, to see what becomes of it',
    ['emulator/get', 'is the activity'],
    ['blackbox/strict', 'the program against a service that knows the documents alone'],
  ],
  [
    'its later statuses',
    ['core/charge', 'how an activity stands'],
    [
      'emulator/settle',
      'successful: the activity is, its payment request is paid, and the answer is what a read shows',
    ],
  ],
  [
    'and those after refunds',
    refund('gives back all that was paid, after a while: the activity and the payment request are refunded'),
  ],
  ['an activity may name its payment request', ['contract/proof', 'is one that names it']],
  [
    'and say what was paid by it, and that it was paid twice',
    ['emulator/settle', 'a second success on a payment request is a double charge, and counts in what was paid'],
  ],
  [
    'there is no idempotency key: a second POST is a second activity',
    ['emulator/charge', 'rule 2: activities are independent; creating one does not alter or block the others'],
    ['client/send', 'are one, where it is accepted'],
  ],
  [
    'there are mediums beyond the three, such as pay_with_bank',
    ['contract/answers', 'a checkout may offer mediums that are not known here, in either form'],
  ],
  // Checkouts
  ['checkouts come in a bare array', checkout('answers a bare array, no pagination'), asked],
  [
    'filtered by status and currency, each as often as is wanted',
    ['client/operations', 'a list of values is repeated in the query, its brackets encoded'],
    checkout('a filter of %s that means nothing is a 422'),
  ],
  [
    'one checkout has a plain currency, a status and its mediums in their order',
    checkout('has uid, name, a plain currency, status, and mediums with their position'),
  ],
  [
    'who serves a medium, and for which banks',
    checkout('is an array of {psp, banks: [{code, name}]}, which varies by medium'),
  ],
  // Errors
  ['200 for every success', ['contract/operations', '%s succeeds with 200 and can meet 401, 403 and 422']],
  ['400, 402, 404, 405, 409, 415 and 422 are a no', ['client/judge', "%i in the service's own document: rejected"]],
  ['401 and 403 are about the key', ['client/judge', "%i in the service's own document: auth"]],
  [
    'a 500 proves nothing of a write, and reads are tried again',
    ['client/judge', '%i: unknown, whatever it says'],
    ['client/send', 'the attempts of a read'],
  ],
  [
    '402: the balance of the workspace itself',
    shop('metadata.emulate 402: a charge is refused, since the workspace has no balance'),
  ],
  [
    'errors as RFC 7807, with violations',
    ['contract/problem', 'reads a validation failure with its violations, in their order'],
    ['contract/openapi', 'and the error document %s'],
  ],
  [
    'errors as message and errors',
    ['contract/problem', 'reads the second shape, a fault without a field included'],
    ['emulator/dialect', 'writes errors in the second shape'],
  ],
  ['a 401 may have an empty body', ['client/judge', '401 with any body, and 403 with a JSON object: auth']],
  ['the newer plugin reads message and errors alone', plugin('reads each no of the service by message and errors')],
  [
    'a currency may not be allowed',
    shop('a currency that the workspace does not take: nzube.ugwo.error.currency_not_allowed'),
  ],
  ['the codes of the hosted page', page('opened too late: error ugwo_processed at once')],
  [
    'a nested field at fault may be written in several ways',
    ['contract/others', 'says each fault once, whatever its form: %s'],
    ['blackbox/odd-answers', 'names the flag behind each path'],
  ],
  // What a tolerant reader must take
  ['an enum is a text or a pair with a label', ['contract/answers', '%s may be new, alone or in a pair with a label']],
  [
    'whose label is a key for translators',
    ['blackbox/odd-answers', 'shows the word for a pair whose label is for translators'],
  ],
  ['psp and the kind of a next action may be of any shape, too', ['client/answer-shapes', 'an activity']],
  [
    'fields and values appear without notice',
    ['contract/answers', '%s keeps the fields that nobody has documented, at every depth'],
  ],
  ['and may be missing', ['contract/answers', 'a %s without its %s is taken unless nothing could be done without it']],
  [
    '[] stands for an empty object',
    ['contract/common', 'what holds other things'],
    ['blackbox/dialect', 'charges by mobile_money, where [] stands for no next action'],
  ],
  ['numbers come as texts', ['contract/oddities', 'is not an amount that is the text %j']],
  ['moments come in several forms', ['core/time', 'readInstant']],
  [
    'too much may be paid, too little, and a payment be taken back',
    shop('too much: ugwo_successful, with total_amount_paid above amount'),
    shop('too little: requires_ugwo again, with total_amount_paid > 0; the rest can be charged and paid'),
    shop('taken back by the provider: the activity has failed, and the payment request is open again'),
  ],
  ['shops believe what a read says of amount paid, currency and ref', works],
  // Refunds
  [
    'a refund names an activity; the rest may be left out',
    ['contract/others', 'the body that gives money back (public material)'],
    asked,
  ],
  [
    'it is answered with uid, status, amount and error',
    refund('gives back all that was paid, after a while: the activity and the payment request are refunded'),
    ['contract/others', 'a refund: an identifier of whatever form'],
  ],
  [
    'the codes of a refund that is refused',
    refund('refund_amount_too_high: more than is left, with what is under way counted'),
    refund('refund_amount_too_low: at least 20,000 kobo'),
  ],
  [
    'a destination may be needed, an account of ten digits',
    refund('missing_destination: what came by transfer needs an account of 10 digits to go back to'),
  ],
  [
    'a refund may fail at once, and says why',
    plugin('asks for a destination where one is missing, and shows why a refund has failed'),
  ],
  ['or end later', refund('metadata.emulate refund:successful:1m: when it is told')],
  ['its status may be a pair', ['emulator/dialect', 'writes what is made, called off, given back and listed so']],
  // The service's own clients
  [
    'what the newer plugin sends, and reads of the answers',
    works,
    plugin('with another key its connection test fails'),
  ],
  ['what the older one does', older],
  ['where a ref is taken, the plugin takes the next', works],
  [
    'the messages of the hosted page to the page around it',
    page('ready, theme and resize, to the one origin, and close'),
    page('I have paid: it looks until the payment is in, then success with the activity'),
  ],
  ['and of a charge that fails', page('a charge that fails: error with its code and message')],
  // Webhooks
  [
    'a webhook is a POST with a signature of its raw body and an id of the delivery; data is the resource as its GET shows it',
    delivered(
      'is a POST with the signature of its raw body and an id of its own; data is the resource as its GET shows it',
    ),
    ['core/webhook-event', 'is the hex HMAC-SHA256 of the raw body'],
  ],
  ['its signature is empty without a secret', delivered('has an empty signature where the webhook has no secret')],
  ['which events there are', told('%s is well-formed, and changes nothing'), CHANGES],
  ['what a second payment of one request does is told by an event', PAID_TWICE],
  ['the end of a refund is told by an event, which names the payment request', PAID_TWICE],
  [
    'a delivery that is not answered 2xx is tried twice more, 30 minutes apart, with the same uid',
    delivered(
      'that is not answered 2xx is tried twice more, 30 minutes apart by the clock, with the same uid and other ids',
    ),
  ],
  ['receivers answer 400, 401 or 500 to be sent an event again', delivered('that answers %i is sent the event again')],
  [
    "an endpoint's secret begins with wsk.",
    [
      'blackbox/emulator-webhooks',
      'tells of a change that another process made, signed with a secret that only its file shows',
    ],
  ],
  [
    'the uid of an event of the sandbox ends in _t',
    delivered('in the live dialect data is what its GET shows there, and the uid ends in _t'),
  ],
  [
    'in an event of an activity the request is data.ugwo_uid',
    PAID_TWICE,
    ['core/webhook-event', 'an activity with ugwo_uid'],
  ],
  // Bank codes
  ['the codes of the banks', ['emulator/charge', 'every code of the table is taken']],
  [
    'which codes there are is for the service to say',
    ['blackbox/dialect', 'takes a no for a no: a bank code that the service does not know, with the flag at fault'],
  ],
];

/** What no test can hold here, and why. */
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
