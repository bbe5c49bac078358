/** `restwell routes`: a table of URIs, methods and the callers who may use them. */

import { formatRule } from '../access/rule-description.ts'
import type { Model } from '../definition/model.ts'
import { splitDocuments } from '../describe/create-capabilities.ts'
import { audienceResources, partsByResource } from '../describe/described-resources.ts'
import { type AudienceRight, rightOf } from '../describe/permitted-resources.ts'
import { documentPlace, type Place, placesOf, serviceActionPlaces } from '../describe/places.ts'
import type { Command } from '../operation/command-frame/command.ts'
import { writeOutput } from '../operation/command-frame/output.ts'
import { outsideBase } from '../requests/context/target.ts'
import { loadDocuments } from '../service/loaded-features.ts'

export const routes: Command = {
  usage: '[service.ts] [--out FILE]',
  summary: 'Prints a table of URIs, methods and the callers who may use them.',
  run: (args, load) =>
    writeOutput({ args, load }, [], async ({ definition }) => formatTable(await routeRows(definition.model))),
}

type RouteRow = readonly [methods: string, uri: string, who: string]

async function routeRows(model: Model): Promise<readonly RouteRow[]> {
  const parts = audienceResources(model, 'everyone')
  const byResource = partsByResource(model, 'everyone', parts)
  const documents = [...(await loadDocuments(model)).values()]
  const { documents: own, itemDocuments } = splitDocuments(documents)
  const places = parts.flatMap((part) =>
    placesOf(part, (resource) => byResource.get(resource), itemDocuments),
  )
  return [...places, ...serviceActionPlaces(model, 'everyone'), ...own.map(documentPlace)].flatMap((place) =>
    placeRows(model, place),
  )
}

/** Methods that the same callers may use share a row. */
function placeRows(model: Model, place: Place): readonly RouteRow[] {
  const uri = place.route === outsideBase ? outsideBase : model.base + place.route
  const callers = Map.groupBy(place.methods, (method) => callersOf(model, place, rightOf(place.kind, method)))
  return [...callers].map(([who, methods]) => [methods.join(' '), uri === '' ? '/' : uri, who])
}

function callersOf({ accounts }: Model, place: Place, right: AudienceRight | undefined): string {
  if (right === undefined) return 'anyone'
  if (place.kind === 'upload') return 'the caller who began it'
  if (place.document?.audience) {
    return accounts ? `the role ${accounts.adminRole}` : 'no caller (there are no accounts)'
  }
  const rule = formatRule(place.ruleOf(right) ?? { kind: 'anyone' })
  const { above } = place
  return above ? `with the right to read /${above.resource.name}/{id}: ${rule}` : rule
}

function formatTable(rows: readonly RouteRow[]): string {
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map(([methods, uri, caller]) =>
    [methods.padEnd(widths[0] ?? 0), uri.padEnd(widths[1] ?? 0), caller].join('  '),
  )
  return `${lines.join('\n')}\n`
}
