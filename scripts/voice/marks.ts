/**
 * Phrases that this project overused and that comparable projects hardly use (0.2 to 1.8 per 1,000 words). Rewrite the sentence rather than
 * replace the phrase.
 */
const MARKS: Readonly<Record<string, RegExp>> = {
  beside: /\bbeside\b/i,
  'stands or rests': /\b(stands?|rests?) (in|on|for|by|at|there|here|above|below|already|before|over)\b/i,
  'says, of a thing': /\b(says|said) (so|what|which|whether|how|where|why|that)\b/i,
  'of its own': /\bof (its|their|our|one's) own\b/i,
  'at once': /\bat once\b/i,
  meanwhile: /\bmeanwhile\b/i,
  'is no': /\b(is|are|was|were) no (?!longer|more|one)[a-z]/i,
  'that of': /\b(that|those) of\b/i,
  'where for if': /, where (it|one|the|there|that|a)\b|\bwhere (one|it|there) is\b/i,
  answers: /\banswers (with|to|by|for|in|the|a|an|what|it)\b/i,
  'of each': /\bof each\b/i,
  'else for otherwise': /[,;] else\b/i,
  'noun clause': /\b(of|for|to|by|from|with|than|as|and|that|on|in|at) (what|whoever|whatever)\b/i,
  'the … one': /\b(former|other|next|older|newer|first|last|such) one\b/i,
  anew: /\b(anew|thereby|whoever|somebody|nobody|anybody)\b/i,
  'goes on with': /\b(goes?|went) on with\b|\bleft alone\b|\bis heard of\b|\bby itself\b/i,
}

export const marksIn = (text: string): string[] =>
  Object.entries(MARKS).flatMap(([name, mark]) => (mark.test(text) ? [name] : []))
