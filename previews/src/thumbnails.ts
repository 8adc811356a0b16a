/** The thumbnails of a piece. */
export interface Thumbnails {
  /** WebP pictures that fit squares of these sizes, in pixels. */
  thumbnails: { size: number; webp: Uint8Array }[]
  /** 4 by 4 pixels, blue, green, red, from the bottom row up; null where the thumbnail is transparent. */
  placeholder: Uint8Array | null
}

/** Sizes of thumbnails, in pixels: thumbnails, cards, and pictures of a page's width. */
export const SIZES = [96, 384, 1024] as const

/** A piece of which no thumbnail can be made: trying again is in vain where `isFinal`. */
export class NoThumbnail extends Error {
  readonly isFinal: boolean

  constructor(reason: string, { isFinal }: { isFinal: boolean }) {
    super(reason)
    this.isFinal = isFinal
  }
}
