export interface Variable<T> {
  read: (text: string) => T | undefined
  expected: string
  fallback: T
  about: string
  /** True if the value must not be printed. URLs are printed without their password instead. */
  isSecret?: boolean
}

export const text = (fallback: string, about: string): Variable<string> => ({
  read: (value) => (value.trim() === '' ? undefined : value.trim()),
  expected: 'a non-empty text',
  fallback,
  about,
})

export const optional = (about: string): Variable<string | null> => ({ ...text('', about), fallback: null })

/** A text without spaces that is never printed. */
export const secret = (about: string): Variable<string | null> => ({
  read: (value) => (/^[\x21-\x7e]+$/.test(value) ? value : undefined),
  expected: 'a text of ASCII characters without spaces',
  fallback: null,
  about,
  isSecret: true,
})

export const integer = (fallback: number, low: number, high: number, about: string): Variable<number> => ({
  read: (text) => {
    const value = Number(text)
    return /^-?\d+$/.test(text.trim()) && value >= low && value <= high ? value : undefined
  },
  expected: `an integer from ${low} to ${high}`,
  fallback,
  about,
})

export const decimal = (fallback: number, low: number, high: number, about: string): Variable<number> => ({
  read: (text) => {
    const value = Number(text)
    return /^-?\d+(\.\d+)?$/.test(text.trim()) && value >= low && value <= high ? value : undefined
  },
  expected: `a number from ${low} to ${high}`,
  fallback,
  about,
})

/** A decimal without a default. */
export const optionalDecimal = (low: number, high: number, about: string): Variable<number | null> => ({
  ...decimal(low, low, high, about),
  fallback: null,
})

export const choice = <const C extends string>(
  choices: readonly C[],
  fallback: NoInfer<C>,
  about: string,
): Variable<C> => ({
  read: (text) => choices.find((option) => option === text.trim()),
  expected: `one of ${choices.join(', ')}`,
  fallback,
  about,
})

/** A URL with one of these protocols; null if the code that opens it checks the protocol. */
export const url = (
  fallback: string | null,
  protocols: readonly string[] | null,
  about: string,
): Variable<string | null> => ({
  read: (text) =>
    URL.canParse(text) && (protocols?.includes(new URL(text).protocol) ?? true) ? text : undefined,
  expected: protocols ? `a URL that begins with ${protocols.join('// or ')}//` : 'a URL',
  fallback,
  about,
})

type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<S>

/** Values by camel-case name: `LISTING_MIN_SATS` becomes `listingMinSats`. */
export type ConfigOf<Table extends Record<string, Variable<unknown>>> = {
  [Name in keyof Table as CamelCase<Name & string>]: Table[Name]['fallback']
}

/** Invalid configuration. The message lists all problems. */
export class ConfigError extends Error {}

/** Reads variables and adds a line to `problems` for each invalid one. */
export function readVariables<Table extends Record<string, Variable<unknown>>>(
  table: Table,
  environment: Readonly<Record<string, string | undefined>>,
  problems: string[],
): ConfigOf<Table> {
  const config: Record<string, unknown> = {}
  for (const [name, variable] of Object.entries(table)) {
    const found = environment[name]
    const value = found === undefined || found === '' ? variable.fallback : variable.read(found)
    if (value === undefined) {
      // URLs can contain passwords.
      const isHidden = name.endsWith('_URL') || variable.isSecret
      const shown = isHidden ? 'an invalid value' : JSON.stringify(found)
      problems.push(`${name}: found ${shown}, expected ${variable.expected}`)
    }
    config[name.toLowerCase().replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())] = value
  }
  return config as ConfigOf<Table>
}
