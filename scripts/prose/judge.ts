import { sentencesOf } from './sentences.ts'

/** Words that hide who acts, or that are no standard term, with what to write. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\banew\b/i, 'again'],
  [
    /\b(somebody|anybody|nobody|whoever)\b/i,
    'the one who acts: the seller, the client, the operator, no wallet',
  ],
  [/\bthereby\b/i, 'so'],
  [/\bof its own accord\b/i, 'by itself'],
  [/\b(hang|hangs|hung|hanging) up\b/i, 'disconnect'],
  [/\b(is|are) told\b/i, 'is sent, gets, learns'],
  [/\b(is|are) heard\b/i, 'arrives, is received'],
  [/\b(is|are) let go\b/i, 'is released, is dropped'],
]

/** Names that were replaced, wherever they stand. */
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/\bSatchel\b/, 'a cache'],
  [/\bComplaints\b/, 'LogThrottle'],
  [/\b(RestingKind|restingOffers)\b/, 'dependent orders'],
  [/\bCarrier\b/, 'fee coin, fee sponsor'],
  [/\bhangUp\b/, 'disconnect'],
  [/\bParty\b/, 'handler'],
]

/** A sentence that opens with a noun clause and is no question. */
const OPENER = /^(what|who|whoever|whatever|where|wherever|how|which|whichever)\b(?!.*\?$)/i

/** The longest text of fewer words is a label. */
const LEAST_WORDS = 4

/**
 * Finds in prose that CONTRIBUTING.md, "House rules", asks to rewrite, as `file:line: problem`.
 * @param files Markdown, TypeScript and SQL files by path
 */
export function judgeProse(files: ReadonlyMap<string, string>): { problems: string[]; sentences: number } {
  const problems: string[] = []
  let count = 0
  for (const [file, text] of files) {
    for (const { text: sentence, line } of sentencesOf(file, text)) {
      if ((sentence.match(/[a-z]+/gi)?.length ?? 0) < LEAST_WORDS) continue
      count++
      const note = (problem: string) => problems.push(`${file}:${line}: ${problem}: ${sentence}`)
      const opener = OPENER.exec(sentence)
      if (opener) note(`a sentence opens with "${opener[0]}"; name its subject`)
      for (const [pattern, better] of WORDS) {
        const found = pattern.exec(sentence)
        if (found) note(`"${found[0]}"; write ${better}`)
      }
    }
    for (const [n, line] of text.split('\n').entries())
      for (const [pattern, better] of NAMES) {
        const found = pattern.exec(line)
        if (found) problems.push(`${file}:${n + 1}: the name ${found[0]}; write ${better}`)
      }
  }
  return { problems, sentences: count }
}
