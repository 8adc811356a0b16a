/** An environment variable: its parser, default and purpose. */
export interface Variable<T> {
  read: (text: string) => T | undefined
  expected: string
  fallback: T
  about: string
}

export const text = (fallback: string, about: string): Variable<string> => ({
  read: (found) => (found.trim() === '' ? undefined : found.trim()),
  expected: 'a text that is not empty',
  fallback,
  about,
})

export const optional = (about: string): Variable<string | null> => ({ ...text('', about), fallback: null })

export const integer = (fallback: number, low: number, high: number, about: string): Variable<number> => ({
  read: (found) => {
    const value = Number(found)
    return /^-?\d+$/.test(found.trim()) && value >= low && value <= high ? value : undefined
  },
  expected: `an integer from ${low} to ${high}`,
  fallback,
  about,
})

export const decimal = (fallback: number, low: number, high: number, about: string): Variable<number> => ({
  read: (found) => {
    const value = Number(found)
    return found.trim() !== '' && value >= low && value <= high ? value : undefined
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
  read: (found) => choices.find((each) => each === found.trim()),
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
  read: (found) =>
    URL.canParse(found) && (protocols?.includes(new URL(found).protocol) ?? true) ? found : undefined,
  expected: protocols ? `a URL that begins with ${protocols.join('// or ')}//` : 'a URL',
  fallback,
  about,
})

type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<S>

/** The values of a table of variables, by camel-case name: `LISTING_MIN_SATS` is `listingMinSats`. */
export type ConfigOf<Table extends Record<string, Variable<unknown>>> = {
  [Name in keyof Table as CamelCase<Name & string>]: Table[Name]['fallback']
}

/** One or more invalid variables; the message lists all of them. */
export class ConfigError extends Error {}

/** Reads a table of variables from an environment; adds a line to `problems` for each invalid variable. */
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
      // A URL may contain a password, so do not print it.
      const shown = name.endsWith('_URL') ? 'something else' : JSON.stringify(found)
      problems.push(`${name}: found ${shown}, expected ${variable.expected}`)
    }
    config[name.toLowerCase().replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())] = value
  }
  return config as ConfigOf<Table>
}
