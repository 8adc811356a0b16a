import { PsbtStep } from '@ordbook/contract/signing.ts'
import { tableOfFields } from '@ordbook/http/documents/reference-fields.ts'
import { BELIEFS, MEMBERS } from '@ordbook/sdk/verify/beliefs.ts'
import { withGenerated } from '../generated-parts.ts'
import { printTable } from '../tables.ts'

/** Tables of docs/reference/signing.md, by the name in their marker. */
const TABLES: Readonly<Record<string, () => string>> = {
  fields: () => tableOfFields('Step', PsbtStep).join('\n').trimEnd(),
  beliefs: table,
}

/** Returns docs/reference/signing.md with regenerated tables. */
export const printSigningPage = (page: string): string => withGenerated(page, TABLES)

function table(): string {
  const rows = Object.entries(BELIEFS).map(([name, { fact, status, how }]) => [
    fact,
    status,
    how,
    membersOf(name),
  ])
  return printTable([['Fact', 'Status', 'How', 'Members'], ...rows])
}

/** Returns the last names of the fields that state a fact, without duplicates. */
function membersOf(belief: string): string {
  const names = Object.values<Record<string, string>>(MEMBERS).flatMap((members) =>
    Object.entries(members).flatMap(([path, stated]) => (stated === belief ? [path.split('.').at(-1)!] : [])),
  )
  return [...new Set(names)].map((name) => `\`${name}\``).join(', ')
}
