import { plural } from './plural.ts'

/** One item by its name, several by their number. */
export const itemsNamed = (items: readonly { name: string }[]): string =>
  items.length === 1
    ? items[0]!.name
    : plural(items.length, { one: '# inscription', other: '# inscriptions' })
