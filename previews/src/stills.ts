/** The stills of a piece. */
export interface Stills {
  /** WebP pictures that fit squares of these sizes, in pixels. */
  stills: { size: number; webp: Uint8Array }[]
  /** 4 by 4 pixels, blue, green, red, from the bottom row up; null where the still is transparent. */
  placeholder: Uint8Array | null
}

/** Sizes of stills, in pixels: thumbnails, cards, and pictures of a page's width. */
export const SIZES = [96, 384, 1024] as const

/** A piece of which no still can be made: trying again is in vain where `isFinal`. */
export class NoStill extends Error {
  readonly isFinal: boolean

  constructor(reason: string, { isFinal }: { isFinal: boolean }) {
    super(reason)
    this.isFinal = isFinal
  }
}
