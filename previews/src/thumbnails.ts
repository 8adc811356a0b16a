export interface Thumbnails {
  /** WebP images that fit squares of these sizes, in pixels. */
  thumbnails: { size: number; webp: Uint8Array }[]
  /** A 4 by 4 BGR bitmap, bottom row first; null if the thumbnail is transparent. */
  placeholder: Uint8Array | null
}

/** In pixels: list rows, cards and page-wide images. */
export const SIZES = [96, 384, 1024] as const

/** An item has no thumbnail. If `isFinal`, retrying does not help. */
export class NoThumbnail extends Error {
  readonly isFinal: boolean

  constructor(reason: string, { isFinal }: { isFinal: boolean }) {
    super(reason)
    this.isFinal = isFinal
  }
}
