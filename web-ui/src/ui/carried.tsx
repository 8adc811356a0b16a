import type { Answer } from '@ordbook/sdk/operations.ts'
import { shortId } from '../format/format.ts'

export type Carried = NonNullable<Answer<'listCarries'>['carries']>[number]

export function carriedText(carried: Carried): string {
  if (carried.kind === 'rune') return `${carried.amount} ${carried.name}`
  return carried.kind === 'inscription' ? `inscription ${shortId(carried.name)}` : `rare sat ${carried.name}`
}
