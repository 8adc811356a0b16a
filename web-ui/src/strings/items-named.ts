import { plural } from './plural.ts'

/** The name of a single item, or the number of several. */
export const itemsNamed = (items: readonly { name: string }[]): string =>
  items.length === 1
    ? items[0]!.name
    : plural(items.length, { one: '# inscription', other: '# inscriptions' })
