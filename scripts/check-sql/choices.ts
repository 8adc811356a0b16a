/** Returns one of `choices` numbers, which is the same for equal keys within a variant. */
export type Choose = (key: string, choices: number) => number

/** Maximum variants per statement. Beyond it, not all combinations of choices are tested. */
const MAX_VARIANTS = 400

/** Runs `build` with every combination of its choices, or at least with each choice. */
export function explore<Built>(build: (choose: Choose) => Built): Built[] {
  const found: Built[] = []
  const run = (given: ReadonlyMap<string, number>) => {
    const decisions = new Map<string, { chosen: number; choices: number }>()
    found.push(
      build((key, choices) => {
        const decision = decisions.get(key)
        if (decision) return decision.chosen
        const chosen = given.get(key) ?? 0
        decisions.set(key, { chosen, choices })
        return chosen
      }),
    )
    return [...decisions]
  }
  let next: ReadonlyMap<string, number> | null = new Map()
  while (next && found.length < MAX_VARIANTS) {
    const made = run(next)
    const last = made.findLastIndex(([, { chosen, choices }]) => chosen + 1 < choices)
    next =
      last < 0
        ? null
        : new Map(made.slice(0, last + 1).map(([key, { chosen }], i) => [key, chosen + (i === last ? 1 : 0)]))
  }
  if (!next) return found
  const seen = new Set<string>()
  const waiting: ReadonlyMap<string, number>[] = [new Map()]
  for (let given = waiting.pop(); given; given = waiting.pop())
    for (const [key, { choices }] of run(given))
      for (let chosen = 1; chosen < choices; chosen++) {
        if (seen.has(`${key} ${chosen}`)) continue
        seen.add(`${key} ${chosen}`)
        waiting.push(new Map([...given, [key, chosen]]))
      }
  return found
}
