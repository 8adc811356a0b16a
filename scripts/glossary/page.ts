import { PRICE_WORDS } from '@ordbook/contract/price-words.ts'
import { withGenerated } from '../generated-parts.ts'
import { printTable } from '../tables.ts'

/** Prints the words for prices into docs/reference/glossary.md. */
export const printGlossary = (page: string): string =>
  withGenerated(page, {
    prices: () =>
      printTable([
        ['Term', 'Meaning', 'In the API'],
        ...Object.entries(PRICE_WORDS).map(([word, { meaning, api }]) => [
          word,
          meaning,
          api.map((name) => `\`${name}\``).join(', '),
        ]),
      ]),
  })
