import { parseInscriptionId } from '@ordbook/bitcoin/inscription-id.ts'
import type { NewItem } from './import-queries.ts'
import { add, type ImportReport, type ProblemKind } from './import-report.ts'
import { storedText } from './stored-text.ts'
import { fitsIndex, MAX_TRAITS, type Trait } from './traits.ts'

const MAX_LENGTH = 4160

type Fields = Record<string, unknown>
type Note = (kind: ProblemKind, position: string, problem: string) => void

/** Reads the entries of `inscriptions.json`. Counts entries and traits in `report`, and reports what it skips or changes. */
export function readItems(
  list: readonly unknown[],
  collectionName: string,
  file: string,
  report: ImportReport,
): NewItem[] {
  const note: Note = (kind, position, problem) => report.note(kind, file, position, problem)
  const items: NewItem[] = []
  const first = new Map<string, number>()
  report.entries.found += list.length
  for (const [index, entry] of list.entries()) {
    const fields = isObject(entry) ? entry : {}
    const id = readId(fields.id)
    const places = traitPlaces(fields)
    if (id === null || first.has(id)) {
      const kind = id === null ? 'id-invalid' : 'id-repeated'
      const shown = isObject(entry) ? fields.id : entry
      const problem =
        id === null ? `${show(shown)} is not an inscription id` : `repeats [${first.get(id)}]: ${id}`
      note(kind, `[${index}].id`, problem)
      add(report.entries, kind, 1)
      skipTraits(places, kind, report)
      continue
    }
    first.set(id, index)
    if (id !== fields.id) note('id-changed', `[${index}].id`, `${show(fields.id)} is read as ${id}`)
    const name = readName(fields, index, note)
    noteUnusedFields(fields, `[${index}]`, file, report)
    items.push({
      inscriptionId: id,
      name: name ?? `${collectionName} #${index + 1}`,
      traits: readTraits(places, index, file, report),
    })
  }
  report.entries.imported += items.length
  return items
}

/** Returns a canonical inscription id, or null. Upper-case letters and surrounding blanks are accepted. */
export function readId(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const id = value.trim().toLowerCase()
  return parseInscriptionId(id) ? id : null
}

const metaOf = (fields: Fields): Fields => (isObject(fields.meta) ? fields.meta : {})

function readName(fields: Fields, index: number, note: Note): string | null {
  const meta = metaOf(fields)
  if (fields.meta !== undefined && fields.meta !== null && !isObject(fields.meta))
    note('name-invalid', `[${index}].meta`, `${show(fields.meta)} is not an object`)
  const name = textOf(meta.name)
  if (name) return name
  if (meta.name !== undefined)
    note('name-invalid', `[${index}].meta.name`, `${show(meta.name)} is not a valid name`)
  const [place, other] = [
    ['meta.meta.name', textOf(metaOf(meta).name)] as const,
    ['name', textOf(fields.name)] as const,
  ].find(([, text]) => text !== null) ?? [null, null]
  if (place) note('field-elsewhere', `[${index}].${place}`, 'is read as the name')
  return other
}

/** A trait as written: its position, type and value, and the text for a message. */
interface FoundTrait {
  position: string
  type: string | null
  value: string | null
  shown: unknown
  /** The element of an array; empty for a trait of an object. */
  fields: Fields
}
interface TraitPlace {
  /** Field, such as `meta.attributes`. */
  field: string
  found: FoundTrait[]
  /** The field if it is neither an array nor an object. */
  invalid?: unknown
}

function traitPlaces(fields: Fields): TraitPlace[] {
  const meta = metaOf(fields)
  const inner = metaOf(meta)
  const places: [string, unknown][] = [
    ['meta.attributes', meta.attributes],
    ['meta.traits', meta.traits],
    ['meta.meta.attributes', inner.attributes],
    ['meta.meta.traits', inner.traits],
    ['attributes', fields.attributes],
    ['traits', fields.traits],
  ]
  return places
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([field, value]) => {
      if (Array.isArray(value)) return { field, found: value.map(foundTrait) }
      if (!isObject(value)) return { field, found: [], invalid: value }
      const found = Object.entries(value).map(([type, trait]) => ({
        position: `.${type}`,
        type: textOf(type),
        value: textOf(trait),
        shown: { [type]: trait },
        fields: {},
      }))
      return { field, found }
    })
}

const foundTrait = (attribute: unknown, index: number): FoundTrait => ({
  position: `[${index}]`,
  type: isObject(attribute) ? textOf(attribute.trait_type) : null,
  value: isObject(attribute) ? textOf(attribute.value) : null,
  shown: attribute,
  fields: isObject(attribute) ? attribute : {},
})

function skipTraits(places: readonly TraitPlace[], kind: ProblemKind, report: ImportReport): void {
  const count = places.reduce((sum, { found }) => sum + found.length, 0)
  report.traits.found += count
  if (count > 0) add(report.traits, kind, count)
}

function readTraits(
  places: readonly TraitPlace[],
  index: number,
  file: string,
  report: ImportReport,
): Trait[] {
  const traits: Trait[] = []
  const seen = new Set<string>()
  let surplus = 0
  for (const { field, found, invalid } of places) {
    const at = `[${index}].${field}`
    const before = traits.length
    if (invalid !== undefined)
      report.note('trait-invalid', file, at, `${show(invalid)} is not a list of traits`)
    for (const { position, type, value, shown, fields } of found) {
      report.traits.found++
      noteUnused(fields, `${field}[].`, KNOWN_IN_TRAIT, at + position, file, report)
      if (!type || !value || !fitsIndex({ type, value })) {
        const problem = type && value ? 'is too long' : `has no ${type ? 'value' : 'trait_type'}`
        report.note('trait-invalid', file, at + position, `${show(shown)} ${problem}`)
        add(report.traits, 'trait-invalid', 1)
        continue
      }
      if (traits.length === MAX_TRAITS) {
        surplus++
        continue
      }
      const key = JSON.stringify([type, value])
      if (seen.has(key)) {
        report.note('trait-repeated', file, at + position, `repeats ${show({ [type]: value })}`)
        add(report.traits, 'trait-repeated', 1)
        continue
      }
      seen.add(key)
      traits.push({ type, value })
      report.traits.imported++
    }
    if (field !== 'meta.attributes' && traits.length > before)
      report.note('field-elsewhere', file, at, `is read as traits: ${traits.length - before}`)
  }
  if (surplus > 0) {
    report.note('trait-invalid', file, `[${index}]`, `has ${surplus} more than ${MAX_TRAITS} traits`)
    add(report.traits, 'trait-invalid', surplus)
  }
  return traits
}

const KNOWN = new Set(['id', 'name', 'meta', 'attributes', 'traits'])
const KNOWN_IN_META = new Set(['name', 'meta', 'attributes', 'traits'])
const KNOWN_IN_TRAIT = new Set(['trait_type', 'value'])

function noteUnusedFields(fields: Fields, position: string, file: string, report: ImportReport): void {
  const meta = metaOf(fields)
  const inner = metaOf(meta)
  noteUnused(fields, '', KNOWN, position, file, report)
  noteUnused(meta, 'meta.', KNOWN_IN_META, position, file, report)
  noteUnused(inner, 'meta.meta.', KNOWN_IN_META, position, file, report)
  // A second name is not used.
  if (textOf(meta.name) !== null)
    for (const [field, name] of [
      ['meta.meta.name', inner.name],
      ['name', fields.name],
    ] as const)
      if (textOf(name) !== null) report.noteUnused(field, file, position)
}

/** Counts the fields of an object that are set and not known. */
export function noteUnused(
  fields: Fields,
  prefix: string,
  known: ReadonlySet<string>,
  position: string,
  file: string,
  report: ImportReport,
): void {
  for (const field in fields) {
    const value = fields[field]
    if (!known.has(field) && value !== null && value !== '')
      report.noteUnused(`${prefix}${field.slice(0, 60)}`, file, position)
  }
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns a value as `storedText`, or null if it is empty or too long. */
export function textOf(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return null
  const text = storedText(String(value))
  return text === '' || text.length > MAX_LENGTH ? null : text
}

export function show(value: unknown): string {
  if (value === undefined) return 'nothing'
  try {
    return JSON.stringify(value).slice(0, 120)
  } catch {
    return 'a deeply nested value'
  }
}
