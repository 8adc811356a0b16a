/** What the importer does with an entry: leave it out, import it in another form, or ignore what is not part of a collection. */
type Effect = 'skipped' | 'changed' | 'ignored'

/** The kinds of problems of a registry, in the order in which a report lists them. */
const PROBLEM_KINDS = {
  'file-missing': ['skipped', 'A file is missing or cannot be read. The folder is skipped.'],
  'file-invalid': [
    'skipped',
    'A file is empty, not JSON or not of the right structure. The folder is skipped.',
  ],
  'slug-invalid': [
    'skipped',
    'No slug can be made from the slug, the folder or the name. The folder is skipped.',
  ],
  'slug-repeated': ['skipped', 'Another collection has this slug. The folder is skipped.'],
  'slug-on-chain': ['skipped', 'A collection defined on chain has this slug. The folder is skipped.'],
  'list-empty': ['skipped', 'The list contains no valid inscription. The folder is skipped.'],
  'id-invalid': ['skipped', 'An entry has no inscription id and is skipped.'],
  'id-repeated': ['skipped', 'An inscription is listed again in a collection. The first entry is imported.'],
  'trait-invalid': ['skipped', 'A trait has no type or value, or is too long, and is skipped.'],
  'slug-changed': ['changed', 'A slug was changed to lower-case letters, digits, - and _.'],
  'file-name': ['changed', 'inscription.json was read instead of inscriptions.json.'],
  'encoding-changed': ['changed', 'A file is not plain UTF-8 and was converted.'],
  'id-changed': ['changed', 'Blanks or upper-case letters were removed from an inscription id.'],
  'name-invalid': [
    'changed',
    'A name is empty, too long or not text. The slug or the number is used instead.',
  ],
  'description-invalid': ['changed', 'A description is too long or not text and was left out.'],
  'icon-invalid': ['changed', 'inscription_icon is not an inscription id and was left out.'],
  'field-elsewhere': ['changed', 'A name or traits were read from another field than usual.'],
  'trait-repeated': ['changed', 'An item has the same trait twice. It is imported once.'],
  'items-removed': ['changed', 'Inscriptions that left the file were removed from an existing collection.'],
  'entry-ignored': ['ignored', 'Next to the folders there is something that is not a collection.'],
  'field-unused': ['ignored', 'ordbook does not use this field.'],
} as const satisfies Record<string, readonly [Effect, string]>
export type ProblemKind = keyof typeof PROBLEM_KINDS

export interface Problem {
  kind: ProblemKind
  file: string
  /** Position in the file, such as `[3].meta.name`. */
  position: string
  problem: string
}

/** Rows read and imported. `found` is `imported` plus all of `skipped`. */
export interface Count {
  found: number
  imported: number
  skipped: Partial<Record<ProblemKind, number>>
}

/** Collects the problems and counts of one import. */
export class ImportReport {
  readonly problems: Problem[] = []
  /** Names of the skipped folders. */
  readonly refused: string[] = []
  readonly folders: Count = { found: 0, imported: 0, skipped: {} }
  readonly entries: Count = { found: 0, imported: 0, skipped: {} }
  readonly traits: Count = { found: 0, imported: 0, skipped: {} }
  private readonly unused = new Map<string, { file: string; position: string; count: number }>()

  note(kind: ProblemKind, file: string, position: string, problem: string): void {
    this.problems.push({ kind, file, position, problem })
  }

  /** Counts a field without a use. The report has one line for each field. */
  noteUnused(field: string, file: string, position: string): void {
    const known = this.unused.get(field)
    if (known) known.count++
    else this.unused.set(field, { file, position, count: 1 })
  }

  /** Records a skipped folder, with the entries and traits that it contains. */
  skipFolder(folder: string, kind: ProblemKind, entries: number, traits: number): void {
    this.refused.push(folder)
    add(this.folders, kind, 1)
    if (entries > 0) add(this.entries, kind, entries)
    if (traits > 0) add(this.traits, kind, traits)
  }

  /** Moves a collection from the imported to the skipped ones. */
  rejectFolder(
    { folder, items, traitCount }: { folder: string; items: readonly unknown[]; traitCount: number },
    kind: ProblemKind,
  ): void {
    this.folders.imported--
    this.entries.imported -= items.length
    this.traits.imported -= traitCount
    this.skipFolder(folder, kind, items.length, traitCount)
  }

  /** Ends the report: adds the lines for unused fields. Throws if the counts do not add up. */
  finish(): void {
    for (const [field, { file, position, count }] of this.unused)
      this.note('field-unused', file, position, `${field} is set ${times(count)}, first here`)
    this.unused.clear()
    for (const [name, { found, imported, skipped }] of Object.entries(this.counts())) {
      const sum = Object.values(skipped).reduce((total, count) => total + count, imported)
      if (sum !== found) throw new Error(`${name}: ${found} found, but ${sum} imported or skipped`)
    }
  }

  counts(): Record<'folders' | 'inscriptions' | 'traits', Count> {
    return { folders: this.folders, inscriptions: this.entries, traits: this.traits }
  }

  hasSkipped(): boolean {
    return this.problems.some(({ kind }) => PROBLEM_KINDS[kind][0] === 'skipped')
  }
}

export function add(count: Count, kind: ProblemKind, by: number): void {
  count.skipped[kind] = (count.skipped[kind] ?? 0) + by
}

const times = (count: number) => (count === 1 ? 'once' : `${count} times`)

/** Returns the lines of the digest: rows found, imported and skipped for each reason. */
export function digestLines(report: ImportReport): string[] {
  return Object.entries(report.counts()).map(([name, { found, imported, skipped }]) => {
    const reasons = Object.entries(skipped).sort(([, a], [, b]) => b - a)
    const list = reasons.map(([kind, count]) => `${count} ${kind}`).join(', ')
    return `${name}: ${found} found = ${imported} imported + ${found - imported} skipped${list && ` (${list})`}`
  })
}

const EXAMPLES = 3
const EXAMPLE_LENGTH = 200
const shortened = (line: string) =>
  line.length > EXAMPLE_LENGTH ? `${line.slice(0, EXAMPLE_LENGTH)}…` : line

/** Returns the lines of the problems, grouped by kind, each with a count and the first examples. */
export function groupLines(problems: readonly Problem[]): string[] {
  const groups = Map.groupBy(problems, ({ kind }) => kind)
  return Object.entries(PROBLEM_KINDS).flatMap(([kind, [, about]]) => {
    const group = groups.get(kind as ProblemKind) ?? []
    if (group.length === 0) return []
    const more = group.length - EXAMPLES
    return [
      `${group.length} ${kind}: ${about}`,
      ...group.slice(0, EXAMPLES).map((problem) => `  ${shortened(problemLine(problem))}`),
      ...(more > 0 ? [`  and ${more} more`] : []),
    ]
  })
}

/** Returns the lines of the report file: the digest and every problem. */
export const reportLines = (report: ImportReport): string[] => [
  ...digestLines(report),
  '',
  ...Object.keys(PROBLEM_KINDS).flatMap((kind) =>
    report.problems
      .filter((problem) => problem.kind === kind)
      .map((problem) => `${kind}\t${problemLine(problem)}`),
  ),
]

const problemLine = ({ file, position, problem }: Problem): string =>
  printable(`${file}${position && ` ${position}`}: ${problem}`)

/** Returns a text without control characters, which could change what a terminal shows. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, '')
