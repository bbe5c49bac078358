/** The code of a definition outside of requests; undefined for a service without the feature. */

import type { ScriptPart } from './feature.ts'
import { features } from './features.ts'

export const scripts: ScriptPart | undefined = features.find((feature) => feature.scripts)?.scripts
