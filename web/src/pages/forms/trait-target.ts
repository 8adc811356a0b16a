/** A trait of a collection: one value of one type. */
export interface Trait {
  type: string
  value: string
}

/** The target of an offer or a trade: any item of a collection, or any with a trait. */
export const targetOf = (trait: Trait | null) =>
  trait
    ? { kind: 'traits' as const, traits: [{ type: trait.type, values: [trait.value] }] }
    : { kind: 'all' as const }
