/** /problems and /problems/{type}: the catalogue of problem types, each with its cause and remedy, and an example. */

import { type ProblemName, problemTypes, refuse } from '../../refusal.ts'
import type { Document } from '../../requests/context/target.ts'
import { problemsUri, problemTypeUri, problemUri } from '../../views/uri.ts'

const names = Object.keys(problemTypes) as readonly ProblemName[]

export const problems: Document = {
  route: '/problems',
  summary: 'The catalogue of problem types',
  schema: { type: 'array', items: { type: 'object' } },
  name: 'problems',
  table: {
    title: 'Problems',
    lead: 'The problem types of this service, with their causes.',
    columns: [
      { name: 'status', label: 'Status' },
      { name: 'title', label: 'Problem', shows: 'words', names: true },
      { name: 'cause', label: 'Cause', shows: 'words' },
    ],
  },
  personal: false,
  load({ service: { model } }) {
    const data = names.map((name) => describe(problemTypeUri(model, name), name))
    const self = { target: problemsUri(model), rel: 'self' }
    const items = names.map((name) => ({ target: problemUri(model, name), rel: 'item' }))
    return { data, hypermedia: { links: [self, ...items], actions: [] } }
  },
}

export const problem: Document = {
  route: '/problems/{type}',
  summary: 'A problem type: its cause and its remedy',
  schema: { type: 'object' },
  parameter: { type: 'string', pattern: '^[a-z]+(?:-[a-z]+)*$' },
  name: 'problem',
  table: {
    title: 'Problems',
    columns: [
      { name: 'title', shows: 'words', names: true },
      { name: 'status', label: 'Status' },
      { name: 'type', label: 'Type', shows: 'code' },
      { name: 'cause', label: 'Cause', shows: 'words' },
      { name: 'remedy', label: 'Remedy', shows: 'words' },
    ],
  },
  personal: false,
  load({ service: { model }, target: { parameter = '' } }) {
    if (!Object.hasOwn(problemTypes, parameter)) throw refuse('not-found')
    const name = parameter as ProblemName
    const type = problemTypeUri(model, name)
    const data = describe(type, name)
    const links = [
      { target: problemUri(model, name), rel: 'self' },
      { target: problemsUri(model), rel: 'collection' },
    ]
    return { data, hypermedia: { links, actions: [] } }
  },
}

function describe(type: string, name: ProblemName) {
  const { status, title, cause, remedy } = problemTypes[name]
  return { type, status, title, cause, remedy }
}
