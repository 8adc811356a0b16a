import { expect, it } from 'vitest'
import { judgeProse } from './judge.ts'
import { sentencesOf } from './sentences.ts'

const problemsOf = (file: string, text: string) => judgeProse(new Map([[file, text]])).problems

it.each([
  ['a comment', 'a.ts', '/** What is spent is gone for good. */\nexport const a = 1\n', 'a.ts:1'],
  ['a comment behind code', 'a.ts', 'const a = 1 // whoever comes first gets it\n', 'a.ts:1'],
  [
    'the second sentence of a comment',
    'a.ts',
    '// The index follows. Where it fails,\n// trading pauses.\n',
    'a.ts:1',
  ],
  [
    'a sentence that wraps',
    'a.ts',
    '/**\n * A list.\n * How it is sorted, nobody\n * knows yet.\n */\n',
    'a.ts:3',
  ],
  ['the tag of a docstring', 'a.ts', '/**\n * @param file what is read of it\n */\n', 'a.ts:2'],
  ['the name of a test', 'a.test.ts', "it('what is sold stays sold', async () => {})\n", 'a.test.ts:1'],
  [
    'the name of a table of tests',
    'a.test.ts',
    "it.each([\n  1,\n])('who comes is told so', () => {})\n",
    'a.test.ts:3',
  ],
  ['a document', 'a.md', '# Start\n\n- The market waits.\n- Which coins it takes is a setting.\n', 'a.md:4'],
  ['a comment of SQL', 'a.sql', 'select 1;\n-- what the market knows of it\n', 'a.sql:2'],
  [
    'a stored comment of SQL',
    'a.sql',
    "comment on function f is\n  'What the market''s index knows.';\n",
    'a.sql:2',
  ],
  ['an error', 'a.ts', "const a = 1\nthrow new Error('What the node says is no block')\n", 'a.ts:2'],
  ['a template', 'a.ts', 'const a = `A default.\nHow many of them are kept.`\n', 'a.ts:2'],
  ['a page', 'a.tsx', 'const a = (\n  <p>What this wallet holds is below</p>\n)\n', 'a.tsx:2'],
])('finds an opener in %s', (_, file, text, place) => {
  const [problem] = problemsOf(file, text)
  expect(problem?.slice(0, place.length)).toBe(place)
  expect(problem).toContain('opens with')
})

it.each([
  ['Somebody has to pay the fee.', 'the client'],
  ['The page reads all of it anew.', 'again'],
  ['The client is told of every sale.', 'gets'],
  ['The server hangs up on slow clients.', 'disconnect'],
])('names the better word for: %s', (sentence, better) => {
  const [problem] = problemsOf('a.md', sentence)
  expect(problem).toContain('a.md:1: ')
  expect(problem).toContain(better)
})

it('finds names that were replaced in code too', () => {
  expect(problemsOf('a.ts', 'const b = 1\nnew Complaints(b)\n')).toEqual([
    'a.ts:2: the name Complaints; write LogThrottle',
  ])
})

it('passes over questions, short labels, code, tables, headings and directives', () => {
  expect(
    problemsOf('a.md', '# What is it that I need\n\nWhat does it cost to run?\n\nWhat it costs.\n'),
  ).toEqual([])
  expect(
    problemsOf('a.md', '| what is in this cell | b |\n\n```\nwhat is in this code block\n```\n'),
  ).toEqual([])
  expect(problemsOf('a.md', '`what is code here` names its subject, and `nobody` is a user.\n')).toEqual([])
  expect(problemsOf('a.ts', 'await sql`where it is not known is null`\n')).toEqual([])
  expect(problemsOf('a.ts', '// biome-ignore lint/a: what is said to a tool\n')).toEqual([])
})

it('joins the lines of a paragraph and splits its sentences', () => {
  const text = '// The market waits\n// for a block. Then it\n// sends the rest.\n\n// Another comment.\n'
  expect(sentencesOf('a.ts', text)).toEqual([
    { text: 'The market waits for a block.', line: 1 },
    { text: 'Then it sends the rest.', line: 2 },
    { text: 'Another comment.', line: 5 },
  ])
})
