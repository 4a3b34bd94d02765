/** What seeded records are made of. Nobody of these exists, and example.com takes no mail. */
export const FIRST_NAMES = [
  'Ada',
  'Chinedu',
  'Ngozi',
  'Tunde',
  'Yetunde',
  'Emeka',
  'Aisha',
  'Ibrahim',
  'Folake',
  'Chidi',
  'Halima',
  'Segun',
  'Zainab',
  'Obinna',
  'Funmilayo',
  'Musa',
  'Amaka',
  'Kelechi',
  'Bukola',
  'Uche',
] as const;

export const LAST_NAMES = [
  'Okafor',
  'Adeyemi',
  'Balogun',
  'Eze',
  'Mohammed',
  'Nwosu',
  'Ogunleye',
  'Danjuma',
  'Okonkwo',
  'Bello',
  'Adebayo',
  'Obi',
  'Sanusi',
  'Umeh',
  'Olawale',
  'Yakubu',
  'Igwe',
] as const;

export const CITIES = [
  ['Lagos', 'Lagos', '100001'],
  ['Ibadan', 'Oyo', '200001'],
  ['Enugu', 'Enugu', '400001'],
  ['Kano', 'Kano', '700001'],
  ['Abuja', 'FCT', '900001'],
  ['Port Harcourt', 'Rivers', '500001'],
] as const;

export const STREETS = ['Broad Street', 'Ahmadu Bello Way', 'Marina', 'Awolowo Road', 'Zik Avenue'] as const;

/** What was bought, and its price in the minor unit. */
export const GOODS = [
  ['Cocoa, two bags', 5_000_000],
  ['School fees, second term', 18_500_000],
  ['Ankara fabric, six yards', 1_450_000],
  ['Phone repair', 750_000],
  ['Generator service', 2_200_000],
  ['Monthly data plan', 350_000],
  ['Wedding catering, deposit', 45_000_000],
  ['Office rent, March to May', 120_000_000],
  ['Bus ticket Lagos to Enugu', 1_980_000],
  ['Rice, 50 kg', 7_800_000],
  ['Solar panel, 350 W', 16_499_950],
] as const;
