import type { Context } from '../context.ts'
import { listPreviewStates } from './queries.ts'

/** A page that shows an item without a still is read again after so many milliseconds. */
const AGAIN_MILLISECONDS = 20_000

/** Before the pixels of 4 by 4: the head of an uncompressed bitmap. Browsers read it without any code of ours. */
const BITMAP =
  'data:image/bmp;base64,Qk1mAAAAAAAAADYAAAAoAAAABAAAAAQAAAABABgAAAAAADAAAAATCwAAEwsAAAAAAAAAAAAA'

/** The still of an item, as a page shows it before it is loaded; null where there is none. */
interface ShownPreview {
  /** A picture of 4 by 4 pixels as a data: address; null where the still is transparent. */
  placeholder: string | null
}

/**
 * The stills of items by inscription, and the time at which one of those that wait may be there; null where none waits, or
 * none is rendered here.
 */
export async function readPreviews(
  { reads, config }: Pick<Context, 'reads' | 'config'>,
  inscriptionIds: readonly string[],
  now: Date,
): Promise<{ previews: Map<string, ShownPreview>; againAt: Date | null }> {
  const previews = new Map<string, ShownPreview>()
  const states = await listPreviewStates(reads, inscriptionIds)
  for (const { inscriptionId, state, placeholder } of states)
    if (state === 'done')
      previews.set(inscriptionId, {
        placeholder: placeholder && `${BITMAP}${Buffer.from(placeholder).toString('base64')}`,
      })
  const waits =
    config.previewSocket !== null && states.some(({ state }) => state === null || state === 'waiting')
  return { previews, againAt: waits ? new Date(now.getTime() + AGAIN_MILLISECONDS) : null }
}
