/**
 * The table of operations: the effect of a method on a kind of target, in facts that only this file states. Decisions,
 * descriptions and `restwell routes` read them. The file has no code, so that descriptions do not import the handling
 * of requests; perform-method.ts has the functions, and its type demands one for each row. operation-of.ts decides what
 * depends on the resource, such as whether it offers the method.
 */

import type { Method } from '../../http/method.ts'

export interface OperationFacts {
  /** The right that it needs. `action`: that of the action; `document`: what the document requires; `none`: none. */
  readonly right: 'list' | 'read' | 'create' | 'update' | 'delete' | 'action' | 'document' | 'none'
  /** Its content; undefined: it has none. `own`: the operation reads it itself, and may need none. */
  readonly content?: ContentKind
  /**
   * The statuses of preconditions. `read`: 304 and 412. `write`: 412, and 428 where the resource requires a condition.
   * `state`: 412. `list`: 412, on the list that the target of a POST shows (RFC 9110 §13.1). Undefined: none are
   * evaluated.
   */
  readonly conditions?: 'read' | 'write' | 'state' | 'list'
  /** Whether it can be tried without effect. */
  readonly dryRun?: true
  /** Whether it takes Idempotency-Key, unless its response has a secret. */
  readonly key?: true
  /** The preferences that apply, besides `handling` and, where a representation is shown, `return=representation`. */
  readonly preferences?: readonly Preference[]
  /** Its query parameters besides `format` and `dry-run`. */
  readonly query?: 'list' | 'aggregate' | 'feed' | 'selection' | 'document' | 'input'
  /**
   * The formats of its response. `file`: the type that the file has; `octets`: the types that the definition declares for
   * what its code makes; `items`: those of a collection, without its stream; `result`: those of a document, and CSV for
   * rows; undefined: the response is no representation.
   */
  readonly offers?:
    | 'item'
    | 'collection'
    | 'aggregate'
    | 'document'
    | 'links'
    | 'file'
    | 'octets'
    | 'items'
    | 'result'
  /** Its target that it creates where there is none: a file, or an item whose resource permits it. */
  readonly mayCreate?: 'item' | 'file'
  /** Whether it is performed by itself, before the decisions about formats and content. */
  readonly alone?: true
  /** The content of each success. */
  readonly gives: Readonly<Partial<Record<200 | 201 | 202 | 204 | 206 | 303, ResponseContent>>>
  /** Refusals of its own. Those that follow from the other facts are conventions (operation-statuses.ts). */
  readonly refuses?: readonly (409 | 416 | 422)[]
  /** In descriptions; `{}` is the name of the field, action or document, and of the collection. */
  readonly name: string
  readonly summary: string
}

export type ContentKind =
  | 'item'
  | 'items'
  | 'patch'
  | 'filter'
  | 'input'
  | 'own'
  | 'octets'
  | 'requests'
  | 'form'
  | 'document'
  | 'file'
  | 'part'

/** `wait` with a number of seconds. */
export type Preference = 'count=exact' | 'respond-async' | 'wait' | 'return=minimal'

/** The content of a response. Descriptions have a response for each. */
export type ResponseContent =
  | 'item'
  | 'written'
  | 'created'
  | 'made'
  | 'result'
  | 'items'
  | 'elsewhere'
  | 'job'
  | 'queued job'
  | 'own'
  | 'page'
  | 'groups'
  | 'document'
  | 'links'
  | 'events'
  | 'posted'
  | 'file'
  | 'part'
  | 'first file'
  | 'replaced file'
  | 'added file'
  | 'complete upload'
  | 'upload'
  | 'mail'
  | 'methods'
  | 'routed'
  | 'nothing'

const minimal = ['return=minimal'] as const

const options = { right: 'none', alone: true, gives: { 204: 'methods' }, summary: 'Methods' } as const

const read = { right: 'read', conditions: 'read' } as const
const change = { right: 'update', conditions: 'write', dryRun: true, offers: 'item' } as const

const getItem = {
  ...read,
  query: 'selection',
  offers: 'item',
  gives: { 200: 'item' },
  name: 'Get',
  summary: 'Get one of {}',
} as const

const put = {
  ...change,
  content: 'item',
  preferences: minimal,
  gives: { 200: 'written', 201: 'created', 204: 'nothing' },
  refuses: [409],
  mayCreate: 'item',
  name: 'Replace',
  summary: 'Replace one of {}',
} as const

const list = {
  ...read,
  right: 'list',
  preferences: ['count=exact'],
  query: 'list',
  offers: 'collection',
  gives: { 200: 'page' },
  name: 'List',
  summary: 'List {}',
} as const

const collection = {
  GET: list,
  HEAD: { ...list, name: 'Head' },
  POST: {
    right: 'create',
    content: 'items',
    conditions: 'list',
    dryRun: true,
    key: true,
    preferences: minimal,
    offers: 'item',
    gives: { 200: 'created', 201: 'created', 202: 'mail', 204: 'nothing' },
    name: 'Create',
    summary: 'Create one of {}',
  },
  QUERY: { ...list, content: 'filter', name: 'Query', summary: 'Query {}' },
  OPTIONS: { ...options, name: 'Options' },
} as const

const aggregate = {
  ...list,
  query: 'aggregate',
  offers: 'aggregate',
  gives: { 200: 'groups' },
  name: 'Aggregate',
  summary: 'Summarise {} in groups',
} as const

const getLinks = { ...read, offers: 'links', gives: { 200: 'links' } } as const
const getItemLinks = { ...getLinks, summary: 'Get the links of one of {}' } as const
const getListLinks = { ...getLinks, right: 'list', summary: 'Get the links of {}' } as const

/** Positions differ in each response, so it has no validators. */
const getListEvents = {
  right: 'list',
  query: 'feed',
  offers: 'document',
  gives: { 200: 'events' },
  summary: 'The changes of {} that you may see, oldest first',
} as const

const remove = { ...change, gives: { 204: 'nothing' } } as const

const act = {
  right: 'action',
  content: 'input',
  conditions: 'state',
  key: true,
  preferences: minimal,
  offers: 'item',
  name: '{}Action',
  summary: "Use the action '{}' of {}",
} as const

const ask = {
  ...read,
  right: 'action',
  offers: 'result',
  gives: { 200: 'result' },
  summary: "Ask the query '{}' of {}",
} as const

const askItems = { ...ask, offers: 'items', gives: { 200: 'items' } } as const

const askFile = { ...ask, offers: 'octets', gives: { 200: 'file' } } as const

const optionsOfAction = { ...options, name: 'Options{}Action' } as const

const readFile = { ...read, offers: 'file' } as const
const getFile = { ...readFile, summary: 'Get the {} of one of {}' } as const
const getStoredFile = { ...readFile, summary: 'Get a file that one of {} has, or had in a version' } as const
const getContent = { gives: { 200: 'file', 206: 'part' }, refuses: [416] } as const
const changeFile = { ...change, offers: 'file' } as const
const optionsOfFile = { ...options, name: 'Options{}' } as const

const getDocument = {
  ...read,
  right: 'document',
  query: 'document',
  offers: 'document',
  gives: { 200: 'document' },
  name: 'Get{}',
  summary: '{}',
} as const

const document = {
  GET: getDocument,
  HEAD: { ...getDocument, name: 'Head{}' },
  OPTIONS: { ...options, name: 'Options{}' },
} as const

const post = {
  right: 'document',
  conditions: 'state',
  dryRun: true,
  key: true,
  preferences: minimal,
  offers: 'document',
  name: 'Post{}',
  summary: '{}',
} as const

const upload = { right: 'document', alone: true, gives: { 204: 'upload' } } as const

const route = { right: 'document', alone: true, gives: { 200: 'routed' }, summary: '{}' } as const

/** The order of the methods is that of Allow. */
export const operations = {
  item: {
    GET: getItem,
    HEAD: { ...getItem, name: 'HeadItem' },
    PUT: put,
    PATCH: {
      ...change,
      content: 'patch',
      key: true,
      preferences: minimal,
      gives: { 200: 'written', 204: 'nothing' },
      name: 'Patch',
      summary: 'Change one of {}',
    },
    DELETE: {
      ...remove,
      right: 'delete',
      preferences: minimal,
      refuses: [409],
      name: 'Delete',
      summary: 'Delete one of {}',
    },
    OPTIONS: { ...options, name: 'OptionsItem' },
  },
  collection,
  /** Of the items that refer to another one, which must be there. */
  subCollection: collection,
  /** The links of an item, and those of a collection or sub-collection. */
  itemLinks: {
    GET: { ...getItemLinks, name: 'GetItemLinks' },
    HEAD: { ...getItemLinks, name: 'HeadItemLinks' },
    OPTIONS: { ...options, name: 'OptionsItemLinks' },
  },
  collectionLinks: {
    GET: { ...getListLinks, name: 'GetLinks' },
    HEAD: { ...getListLinks, name: 'HeadLinks' },
    OPTIONS: { ...options, name: 'OptionsLinks' },
  },
  /** The changes of a list, in pages. */
  collectionEvents: {
    GET: { ...getListEvents, name: 'GetEvents' },
    HEAD: { ...getListEvents, name: 'HeadEvents' },
    OPTIONS: { ...options, name: 'OptionsEvents' },
  },
  /** The groups of a list. */
  aggregate: {
    GET: aggregate,
    HEAD: { ...aggregate, name: 'HeadAggregate' },
    QUERY: { ...aggregate, content: 'filter', name: 'QueryAggregate', summary: 'Query {}, in groups' },
    OPTIONS: { ...options, name: 'OptionsAggregate' },
  },
  element: {
    PUT: { ...remove, refuses: [422], name: 'Add{}', summary: 'Add an element to {} of one of {}' },
    DELETE: { ...remove, name: 'Remove{}', summary: 'Remove an element from {} of one of {}' },
    OPTIONS: { ...options, name: 'Options{}Member' },
  },
  action: {
    POST: { ...act, dryRun: true, gives: { 200: 'written', 201: 'made', 204: 'nothing', 303: 'elsewhere' } },
    OPTIONS: optionsOfAction,
  },
  /** An action with a declared result. */
  result: {
    POST: {
      ...act,
      offers: 'result',
      dryRun: true,
      gives: { 200: 'result', 201: 'result', 204: 'nothing', 303: 'elsewhere' },
    },
    OPTIONS: optionsOfAction,
  },
  /** An action whose result is a file. */
  madeFile: {
    POST: {
      ...act,
      offers: 'octets',
      dryRun: true,
      gives: { 200: 'file', 201: 'file', 204: 'nothing', 303: 'elsewhere' },
    },
    OPTIONS: optionsOfAction,
  },
  /** An action that runs in the background. What it would do is not known before it runs, so it has no dry run. */
  job: {
    POST: {
      ...act,
      preferences: [...minimal, 'respond-async', 'wait'],
      gives: { 200: 'job', 202: 'queued job', 204: 'nothing' },
    },
    OPTIONS: optionsOfAction,
  },
  /** A query that the definition declares. Its parameters are the members of its input. */
  query: {
    GET: { ...ask, query: 'input', name: '{}' },
    HEAD: { ...ask, query: 'input', name: 'Head{}' },
    QUERY: { ...ask, content: 'input', name: 'Query{}' },
    OPTIONS: { ...options, name: 'Options{}' },
  },
  /** A query whose result is a file. */
  fileQuery: {
    GET: { ...askFile, ...getContent, query: 'input', name: '{}' },
    HEAD: { ...askFile, query: 'input', name: 'Head{}' },
    QUERY: { ...askFile, content: 'input', name: 'Query{}' },
    OPTIONS: { ...options, name: 'Options{}' },
  },
  /** A query whose result is items of a collection. */
  itemsQuery: {
    GET: { ...askItems, query: 'input', name: '{}' },
    HEAD: { ...askItems, query: 'input', name: 'Head{}' },
    QUERY: { ...askItems, content: 'input', name: 'Query{}' },
    OPTIONS: { ...options, name: 'Options{}' },
  },
  /** An action of a built-in table. */
  ownAction: {
    POST: {
      ...act,
      right: 'update',
      content: 'own',
      dryRun: true,
      gives: { 200: 'own', 202: 'own', 204: 'nothing' },
      name: '{}',
      summary: '{}',
    },
    OPTIONS: { ...options, name: 'Options{}' },
  },
  file: {
    GET: { ...getFile, ...getContent, name: 'Get{}' },
    HEAD: { ...getFile, gives: { 200: 'file' }, name: 'Head{}' },
    PUT: {
      ...changeFile,
      content: 'file',
      gives: { 201: 'first file', 204: 'replaced file' },
      mayCreate: 'file',
      name: 'Put{}',
      summary: 'Upload the {} of one of {}',
    },
    DELETE: {
      ...changeFile,
      gives: { 204: 'nothing' },
      name: 'Delete{}',
      summary: 'Remove the {} of one of {}',
    },
    OPTIONS: optionsOfFile,
  },
  /** The files of a field that has a list of them. */
  fileList: {
    POST: {
      ...changeFile,
      conditions: 'state',
      content: 'file',
      key: true,
      gives: { 201: 'added file', 204: 'nothing' },
      name: 'Add{}',
      summary: 'Add to the {} of one of {}',
    },
    OPTIONS: optionsOfFile,
  },
  /** A file by its content. */
  storedFile: {
    GET: { ...getStoredFile, ...getContent, name: 'GetStoredFile' },
    HEAD: { ...getStoredFile, gives: { 200: 'file' }, name: 'HeadStoredFile' },
    OPTIONS: { ...options, name: 'OptionsStoredFile' },
  },
  /** A resource of the service itself. */
  document,
  /** A document that takes a form, such as signing in. */
  postedDocument: {
    ...document,
    POST: {
      right: 'document',
      content: 'document',
      gives: { 202: 'posted', 204: 'posted' },
      name: 'Post{}',
      summary: '{}',
    },
  },
  /** Takes several requests, and performs them in one transaction. */
  batch: { ...document, POST: { ...post, content: 'requests', gives: { 200: 'posted' }, refuses: [409] } },
  /** Takes the form of a list that changes several items. */
  selection: { ...document, POST: { ...post, content: 'form', gives: { 200: 'document' } } },
  /** An upload whose file has arrived in part. */
  upload: {
    HEAD: { ...upload, name: 'Head{}', summary: 'How far an upload is' },
    PATCH: {
      ...upload,
      content: 'part',
      conditions: 'state',
      gives: { 201: 'complete upload', 204: 'upload' },
      refuses: [409],
      name: 'Patch{}',
      summary: 'Continue an upload',
    },
    DELETE: {
      ...upload,
      conditions: 'state',
      gives: { 204: 'nothing' },
      name: 'Delete{}',
      summary: 'Give up an upload',
    },
    OPTIONS: { ...options, name: 'Options{}' },
  },
  /** A path whose code gets requests as they were sent. */
  route: {
    GET: { ...route, name: 'Get{}' },
    HEAD: { ...route, name: 'Head{}' },
    POST: { ...route, content: 'octets', name: 'Post{}' },
    PUT: { ...route, content: 'octets', name: 'Put{}' },
    PATCH: { ...route, content: 'octets', name: 'Patch{}' },
    DELETE: { ...route, content: 'octets', name: 'Delete{}' },
    OPTIONS: { ...options, name: 'Options{}' },
  },
  /** The server as a whole. */
  asterisk: { OPTIONS: { ...options, name: 'Options' } },
} as const satisfies Readonly<Record<string, Readonly<Partial<Record<Method, OperationFacts>>>>>

export type OperationKind = keyof typeof operations
