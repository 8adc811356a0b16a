/** An Ajv error, with `verbose` on. */
export interface Issue {
  keyword: string
  instancePath: string
  params: Record<string, unknown>
  message?: string
  parentSchema?: { examples?: unknown[]; title?: string }
  data?: unknown
}

const BODY = 'The body'
const TYPES: Record<string, string> = {
  integer: 'an integer',
  number: 'a number',
  string: 'a string',
  object: 'an object',
  array: 'an array',
  boolean: 'true or false',
  null: 'null',
}

const FORMATS: Record<string, string> = {
  uuid: 'a UUID',
  'date-time': 'an ISO 8601 time with its zone',
  uri: 'a URL',
}

/** Describes the first validation error, for example `items[0].priceSats must be at least 1`. */
export function describeIssues(issues: readonly Issue[]): string {
  // For a union, describe the alternative that matched deepest.
  const depth = Math.max(...issues.map(depthOf))
  const nearest = issues.filter((issue) => depthOf(issue) === depth && issue.keyword !== 'anyOf')
  const [first] = nearest
  if (!first) return 'The request is not valid.'
  const alike = nearest.filter(
    ({ keyword, instancePath }) => keyword === first.keyword && instancePath === first.instancePath,
  )
  const field = fieldOf(first.instancePath)
  if (first.keyword === 'type' || first.keyword === 'const')
    return `${field} must be ${[...new Set(alike.map(expectedOf))].join(' or ')}`
  return describe(first, field)
}

const depthOf = ({ instancePath }: Issue) => instancePath.split('/').length

/** Converts `/items/0/priceSats` to `items[0].priceSats`. */
function fieldOf(pointer: string): string {
  const names = pointer.split('/').slice(1)
  const path = names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~')).map(stepOf)
  return path.join('').replace(/^\./, '') || BODY
}

const stepOf = (name: string) => (/^\d+$/.test(name) ? `[${name}]` : `.${name}`)

function expectedOf({ keyword, params }: Issue): string {
  if (keyword === 'const') return JSON.stringify(params.allowedValue)
  return [params.type]
    .flat()
    .map((type) => TYPES[String(type)] ?? String(type))
    .join(' or ')
}

function describe(issue: Issue, field: string): string {
  const { keyword, params, parentSchema, data } = issue
  const limit = params.limit as number
  switch (keyword) {
    case 'required':
      return `${memberOf(field, params.missingProperty)} is required`
    case 'additionalProperties':
      return `${memberOf(field, params.additionalProperty)} is not a known field. Remove it`
    case 'enum':
      return `${field} must be one of ${(params.allowedValues as unknown[]).join(', ')}`
    case 'minimum':
      return `${field} must be at least ${limit}`
    case 'maximum':
      return `${field} must be at most ${limit}`
    case 'exclusiveMinimum':
      return `${field} must be more than ${limit}`
    case 'exclusiveMaximum':
      return `${field} must be less than ${limit}`
    case 'multipleOf':
      return `${field} must be a multiple of ${params.multipleOf}`
    case 'minLength':
      return limit === 1 ? `${field} must not be empty` : `${field} must have at least ${limit} characters`
    case 'maxLength':
      return `${field} must have at most ${limit} characters`
    case 'minItems':
      return `${field} must have at least ${counted(limit)}`
    case 'maxItems':
      return `${field} must have at most ${counted(limit)}`
    case 'uniqueItems':
      return `duplicate ${String((data as unknown[])[params.i as number]).slice(0, 100)} in ${field}`
    case 'format':
      return `${field} must be ${FORMATS[String(params.format)] ?? `of the format ${params.format}`}`
    default: {
      const example = parentSchema?.examples?.[0]
      if (/^0x[0-9a-f]+$/i.test(String(data))) return `${field} begins with 0x. Send the hex without 0x`
      return `${field} is not valid${example === undefined ? '' : `. Example: ${JSON.stringify(example)}`}`
    }
  }
}

const counted = (entries: number) => (entries === 1 ? '1 entry' : `${entries} entries`)

const memberOf = (field: string, name: unknown) => (field === BODY ? String(name) : `${field}.${name}`)
