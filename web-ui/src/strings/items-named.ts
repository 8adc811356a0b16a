import { plural } from './plural.ts'

/** Returns the name of a single item, or the number of items. */
export const itemsNamed = (items: readonly { name: string }[]): string =>
  items.length === 1
    ? items[0]!.name
    : plural(items.length, { one: '# inscription', other: '# inscriptions' })
