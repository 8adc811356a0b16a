import { MATRIX } from '../../e2e/clients/matrix.ts'
import { TRADES } from '../../e2e/clients/tested.ts'
import { withGenerated } from '../generated-parts.ts'
import { printTable } from '../tables.ts'

const yes = (value: boolean) => (value ? 'yes' : 'no')

const table = () =>
  printTable([
    ['Generator', 'Version', 'Language', 'Generates', 'Compiles', 'Reads', 'Trades'],
    ...MATRIX.map(({ id, generator, version, language, generates, compiles, reads, ofReads, trades }) => [
      `[${generator}](../../e2e/clients/programs/${id})`,
      version,
      language,
      yes(generates),
      yes(compiles),
      `${reads} of ${ofReads}`,
      TRADES.slice(0, trades).join(', ') || 'no',
    ]),
  ])

/** Returns docs/reference/api.md with the table of generated clients. */
export const printApiPage = (page: string): string => withGenerated(page, { clients: table })
