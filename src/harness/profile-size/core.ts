/** What A2A 1.0 and HTTP themselves put on a wire: whatever a capture shows beyond it, the profile has added. */

/** A2A 5.3, by JSON-RPC name; what each asks with and is answered with. */
export const METHODS: Record<string, { asks: string; answers: string }> = {
  SendMessage: { asks: 'SendMessageRequest', answers: 'StreamResponse' },
  SendStreamingMessage: { asks: 'SendMessageRequest', answers: 'StreamResponse' },
  GetTask: { asks: 'GetTaskRequest', answers: 'Task' },
  ListTasks: { asks: 'ListTasksRequest', answers: 'ListTasksResponse' },
  CancelTask: { asks: 'CancelTaskRequest', answers: 'Task' },
  SubscribeToTask: { asks: 'SubscribeToTaskRequest', answers: 'StreamResponse' },
  CreateTaskPushNotificationConfig: { asks: 'PushConfig', answers: 'PushConfig' },
  GetTaskPushNotificationConfig: { asks: 'PushConfigRequest', answers: 'PushConfig' },
  ListTaskPushNotificationConfigs: { asks: 'PushConfigRequest', answers: 'PushConfigs' },
  DeleteTaskPushNotificationConfig: { asks: 'PushConfigRequest', answers: 'Nothing' },
  GetExtendedAgentCard: { asks: 'Nothing', answers: 'AgentCard' },
};

/** On HTTP+JSON verb and path name the operation, below any tenant; undefined elsewhere. */
export function operationAt(verb: string, path: string): { asks: string; answers: string } | undefined {
  const [, name] = REST.find(([pattern]) => pattern.test(`${verb} ${path}`)) ?? [];
  return name === undefined ? undefined : METHODS[name];
}

const REST: readonly [RegExp, string][] = [
  [/^POST .*\/message:send$/, 'SendMessage'],
  [/^POST .*\/message:stream$/, 'SendStreamingMessage'],
  [/^POST .*\/tasks\/[^/]+:cancel$/, 'CancelTask'],
  [/^(GET|POST) .*\/tasks\/[^/]+:subscribe$/, 'SubscribeToTask'],
  [/^POST .*\/pushNotificationConfigs$/, 'CreateTaskPushNotificationConfig'],
  [/^GET .*\/pushNotificationConfigs\/[^/]+$/, 'GetTaskPushNotificationConfig'],
  [/^GET .*\/pushNotificationConfigs$/, 'ListTaskPushNotificationConfigs'],
  [/^DELETE .*\/pushNotificationConfigs\/[^/]+$/, 'DeleteTaskPushNotificationConfig'],
  [/^GET .*\/tasks\/[^/]+$/, 'GetTask'],
  [/^GET .*\/tasks$/, 'ListTasks'],
  [/^GET .*\/extendedAgentCard$/, 'GetExtendedAgentCard'],
];

/** Members of A2A 1.0 objects: to the kind of what they hold, `''` for a plain value, `*` for a Struct of ours. */
export const MEMBERS: Record<string, Record<string, string>> = {
  Nothing: { tenant: '' },
  SendMessageRequest: { tenant: '', message: 'Message', configuration: 'Configuration', metadata: '*' },
  Configuration: {
    acceptedOutputModes: '',
    taskPushNotificationConfig: 'PushConfig',
    historyLength: '',
    returnImmediately: '',
  },
  StreamResponse: {
    task: 'Task',
    message: 'Message',
    statusUpdate: 'StatusUpdate',
    artifactUpdate: 'ArtifactUpdate',
  },
  GetTaskRequest: { tenant: '', id: '', historyLength: '' },
  ListTasksRequest: {
    tenant: '',
    contextId: '',
    status: 'TaskState',
    pageSize: '',
    pageToken: '',
    historyLength: '',
    statusTimestampAfter: '',
    includeArtifacts: '',
  },
  ListTasksResponse: { tasks: 'Task', nextPageToken: '', pageSize: '', totalSize: '' },
  CancelTaskRequest: { tenant: '', id: '', metadata: '*' },
  SubscribeToTaskRequest: { tenant: '', id: '' },
  PushConfig: { tenant: '', id: '', taskId: '', url: '', token: '', authentication: 'Authentication' },
  PushConfigRequest: { tenant: '', taskId: '', id: '', pageSize: '', pageToken: '' },
  PushConfigs: { configs: 'PushConfig', nextPageToken: '' },
  Authentication: { scheme: '', credentials: '' },
  Task: { id: '', contextId: '', status: 'Status', artifacts: 'Artifact', history: 'Message', metadata: '*' },
  Status: { state: 'TaskState', message: 'Message', timestamp: '' },
  Message: {
    messageId: '',
    contextId: '',
    taskId: '',
    role: 'Role',
    parts: 'Part',
    metadata: '*',
    extensions: '',
    referenceTaskIds: '',
  },
  Part: { text: '', raw: '', url: '', data: '', metadata: '*', filename: '', mediaType: '' },
  Artifact: { artifactId: '', name: '', description: '', parts: 'Part', metadata: '*', extensions: '' },
  StatusUpdate: { taskId: '', contextId: '', status: 'Status', metadata: '*' },
  ArtifactUpdate: {
    taskId: '',
    contextId: '',
    artifact: 'Artifact',
    append: '',
    lastChunk: '',
    metadata: '*',
  },
  AgentCard: {
    name: '',
    description: '',
    supportedInterfaces: 'Interface',
    provider: '',
    version: '',
    documentationUrl: '',
    capabilities: 'Capabilities',
    securitySchemes: '',
    securityRequirements: '',
    defaultInputModes: '',
    defaultOutputModes: '',
    skills: 'Skill',
    signatures: '',
    iconUrl: '',
  },
  Interface: { url: '', protocolBinding: '', tenant: '', protocolVersion: '' },
  Capabilities: { streaming: '', pushNotifications: '', extensions: 'Extension', extendedAgentCard: '' },
  Extension: { uri: '', description: '', required: '', params: '' },
  Skill: {
    id: '',
    name: '',
    description: '',
    tags: '',
    examples: '',
    inputModes: '',
    outputModes: '',
    securityRequirements: '',
  },
  Error: { code: '', message: '', data: 'ErrorInfo', status: '', details: 'ErrorInfo' },
  ErrorInfo: { '@type': '', reason: 'ErrorReason', domain: '', metadata: '' },
};

/** Enumerations of A2A 1.0, and the reasons of its errors. */
export const VALUES: Record<string, readonly string[]> = {
  TaskState: [
    'TASK_STATE_UNSPECIFIED',
    'TASK_STATE_SUBMITTED',
    'TASK_STATE_WORKING',
    'TASK_STATE_COMPLETED',
    'TASK_STATE_FAILED',
    'TASK_STATE_CANCELED',
    'TASK_STATE_INPUT_REQUIRED',
    'TASK_STATE_REJECTED',
    'TASK_STATE_AUTH_REQUIRED',
  ],
  Role: ['ROLE_UNSPECIFIED', 'ROLE_USER', 'ROLE_AGENT'],
  ErrorReason: [
    'TASK_NOT_FOUND',
    'TASK_NOT_CANCELABLE',
    'PUSH_NOTIFICATION_NOT_SUPPORTED',
    'UNSUPPORTED_OPERATION',
    'CONTENT_TYPE_NOT_SUPPORTED',
    'INVALID_AGENT_RESPONSE',
    'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
    'EXTENSION_SUPPORT_REQUIRED',
    'VERSION_NOT_SUPPORTED',
    // Of errors that are JSON-RPC's and HTTP's own.
    'INVALID_PARAMS',
    'INTERNAL_ERROR',
    'UNAUTHENTICATED',
  ],
};

/** JSON-RPC 2.0's own codes, and those of A2A 5.4. */
export const ERROR_CODES: ReadonlySet<number> = new Set([
  -32700, -32600, -32601, -32602, -32603, -32001, -32002, -32003, -32004, -32005, -32006, -32007, -32008,
  -32009,
]);

/** Header fields of HTTP, and the two service parameters of A2A (3.2.6). */
export const HEADERS: ReadonlySet<string> = new Set([
  ...['host', 'connection', 'keep-alive', 'transfer-encoding', 'content-type', 'content-length', 'date'],
  ...['accept', 'accept-encoding', 'accept-language', 'user-agent', 'authorization', 'cache-control', 'etag'],
  ...['last-modified', 'if-none-match', 'vary', 'allow', 'retry-after', 'www-authenticate', 'sec-fetch-mode'],
  // What nginx is told about a stream; no peer reads it.
  'x-accel-buffering',
  ...['a2a-version', 'a2a-extensions'],
]);

/** Paths of A2A 5.3 below an interface's URL, and the card's. */
export const ENDPOINTS: readonly RegExp[] = [
  /^POST \/$/,
  /^GET \/\.well-known\/agent-card\.json$/,
  /^POST \/message:(send|stream)$/,
  /^GET \/tasks$/,
  /^GET \/tasks\/[^/:]+$/,
  /^POST \/tasks\/[^/:]+:cancel$/,
  /^(GET|POST) \/tasks\/[^/:]+:subscribe$/,
  /^(GET|POST) \/tasks\/[^/:]+\/pushNotificationConfigs$/,
  /^(GET|DELETE) \/tasks\/[^/:]+\/pushNotificationConfigs\/[^/]+$/,
  /^GET \/extendedAgentCard$/,
];
