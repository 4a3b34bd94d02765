/** Where a run's requests go, as far as the command line says it. */
export interface PlaceOptions {
  readonly local: boolean;
  readonly profile: string | undefined;
  readonly baseUrl: string | undefined;
}

/** The global options that send another command to the same place. */
export const placeWords = ({ local, profile, baseUrl }: PlaceOptions): string[] => [
  ...(local ? ['--local'] : []),
  ...(profile === undefined ? [] : ['--profile', profile]),
  ...(baseUrl === undefined ? [] : ['--base-url', baseUrl]),
];
