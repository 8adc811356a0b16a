import { expect, it } from 'vitest'
import { marksIn } from './marks.ts'
import { textsOf } from './texts.ts'

const CODE = `
import { a } from './a place beside this one.ts'
/** Returns the row. */
// A table of its own.
it('returns 503 when the signer is down', () => {})
it.each(rows)('refuses %s at once', () => {})
throw new Error(\`The listing \${id} is no longer available\`)
log.info('the index is level with the node')
const html = <p class="flex items-center gap-2 text-sm">Your offer waits for a block</p>
const found = sql\`select id from listings where state is null\`
const usage = 'usage: ordbook list --price SATS the inscriptions of this wallet'
`

it('textsOf extracts comments, messages and test names', () => {
  const texts = textsOf('a.tsx', CODE).sort((a, b) => a.line - b.line)
  expect(texts.map(({ kind, line, text }) => [kind, line, text.trim()])).toEqual([
    ['comments', 3, 'Returns the row.'],
    ['comments', 4, 'A table of its own.'],
    ['test names', 5, 'returns 503 when the signer is down'],
    ['test names', 6, 'refuses %s at once'],
    ['messages', 7, 'The listing X is no longer available'],
    ['messages', 8, 'the index is level with the node'],
    ['messages', 9, 'Your offer waits for a block'],
    ['messages', 11, 'usage: ordbook list --price SATS the inscriptions of this wallet'],
  ])
})

it('textsOf extracts the comments of an SQL file', () => {
  const source =
    "-- Drops a row.\ncomment on table sales is 'Sales of this market and of others.';\nselect 'buyer_offer'"
  expect(textsOf('a.sql', source)).toEqual([
    { kind: 'comments', line: 1, text: ' Drops a row.' },
    { kind: 'messages', line: 2, text: "'Sales of this market and of others.'" },
  ])
})

it('textsOf omits headings and code of a document', () => {
  const source =
    '# A title of its own\n\nStart `npm start` at once.\n\n```sh\nnpm run beside\n```\n- A point.'
  expect(textsOf('a.md', source).filter(({ text }) => text)).toEqual([
    { kind: 'documents', line: 3, text: 'Start X at once.' },
    { kind: 'documents', line: 8, text: 'A point.' },
  ])
})

it('marksIn finds marked phrases', () => {
  expect(marksIn('A table of its own stands beside it.')).toEqual(['beside', 'of its own'])
  expect(marksIn('Returns 404 if the collection does not exist.')).toEqual([])
})
