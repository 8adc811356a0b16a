export interface Trait {
  type: string
  value: string
}

/** Returns the target: any item of the collection, or any with the trait. */
export const targetOf = (trait: Trait | null) =>
  trait
    ? { kind: 'traits' as const, traits: [{ type: trait.type, values: [trait.value] }] }
    : { kind: 'all' as const }
