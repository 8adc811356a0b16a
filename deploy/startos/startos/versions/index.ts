import { VersionGraph } from '@start9labs/start-sdk'
import { current } from './current'

/** No migrations here: the market migrates its database at each start. */
export const versionGraph = VersionGraph.of({ current, other: [] })
