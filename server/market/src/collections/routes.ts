import { operations } from '@ordbook/contract/index.ts'
import type { CursorCodec } from '@ordbook/http/operations/cursor.ts'
import { type Route, route } from '@ordbook/http/operations/operations.ts'
import type { Context } from '../context.ts'
import { listFloorStats } from './floors.ts'
import { listInscriptions } from './inscriptions.ts'

export function collectionRoutes(context: Context, cursors: CursorCodec): Route[] {
  return [
    route(operations.listCollectionFloorStats, ({ query }) => listFloorStats(context, query.slugs)),
    route(operations.listCollectionInscriptions, (call) => listInscriptions(context, cursors, call)),
  ]
}
