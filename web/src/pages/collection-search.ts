import type { Answer } from '@ordbook/sdk/operations.ts'

export type Collection = Answer<'getCollection'>

/** The part of a collection page's address that says what it shows. */
export interface CollectionSearch {
  tab?: string | undefined
  sort?: string | undefined
  listed?: boolean | undefined
  traits?: Record<string, string[]> | undefined
  min?: number | undefined
  max?: number | undefined
  satribute?: string | undefined
  q?: string | undefined
}
