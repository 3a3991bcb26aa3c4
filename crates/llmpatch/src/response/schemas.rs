//! The messages of models and tools that are known: one row a schema.
//!
//! Columns are written as patterns and paths. A path leads through objects: `message.role`. A pattern
//! is paths, parted by spaces, of which each leads to a value that isn't null; `type=a|b*` asks for
//! a word, or for the beginning of a word, or of a value as it is written; behind `!` is what may not be. What matches no row isn't read.

pub(super) type Patterns = &'static [&'static str];
pub(super) type Names = &'static [&'static str];

/// A kind of messages.
pub(super) struct Schema {
    pub(super) name: &'static str,
    /// What a message of it is like, beside its calls and results by themselves.
    pub(super) is: Patterns,
    /// Members that hold messages, their parts, calls, and texts of whoever speaks.
    pub(super) inside: Names,
    /// Members that hold instructions, what a tool returned, or what other members say, too.
    pub(super) unread: Names,
    /// Objects, and members, in which the model thinks aloud.
    pub(super) drafts: Patterns,
    pub(super) thoughts: Names,
    /// Objects in which the model, or somebody else, speaks, though they have no role.
    pub(super) speaks: Patterns,
    pub(super) others: Patterns,
    pub(super) calls: &'static [CallForm],
    pub(super) results: &'static [ResultForm],
    /// Messages that were cut off, what ends the model's turn before it is done, and pieces of a
    /// message.
    pub(super) cut: Patterns,
    pub(super) aborted: Patterns,
    pub(super) pieces: Patterns,
    /// Members that hold several responses to one question.
    pub(super) alternatives: Names,
    /// Where the directory is in which calls are made.
    pub(super) directory: Names,
    /// Where a result has the text that the file of its call had before.
    pub(super) before: &'static str,
    /// What the text of a result begins with where its call failed; `#` is a number other than 0.
    pub(super) failed: Names,
}

/// A call: an object of some kind, and where its parts are.
pub(super) struct CallForm {
    pub(super) is: &'static str,
    pub(super) name: &'static str,
    /// Everything by which a result may name it.
    pub(super) ids: Names,
    pub(super) given: &'static str,
    /// Where its own result is.
    pub(super) result: Names,
    /// A call that is only begun.
    pub(super) begun: &'static str,
    /// Whether it changes files, though it doesn't say how.
    pub(super) changes: bool,
}

/// A result: an object of some kind, and where its parts are.
pub(super) struct ResultForm {
    pub(super) is: &'static str,
    /// Everything that names its call.
    pub(super) ids: Names,
    /// What says what became of the call, beside the object itself.
    pub(super) says: Names,
}

impl CallForm {
    /// A call by its shape alone, which nothing wraps.
    pub(super) const BARE: CallForm = call("", "", &["id", "call_id"], "");
}

const NOTHING: Schema = Schema {
    name: "",
    is: &[],
    inside: &[],
    unread: &[],
    drafts: &["type=thinking|redacted_thinking|reasoning"],
    thoughts: &[
        "thinking",
        "reasoning",
        "reasoning_content",
        "reasoning_details",
    ],
    speaks: &[],
    others: &[],
    calls: &[],
    results: &[],
    cut: &[],
    aborted: &[],
    pieces: &[],
    alternatives: &[],
    directory: &[],
    before: "",
    failed: &[],
};

const fn call(is: &'static str, name: &'static str, ids: Names, given: &'static str) -> CallForm {
    CallForm {
        is,
        name,
        ids,
        given,
        result: RESULT,
        begun: "status=in_progress|incomplete",
        changes: false,
    }
}

const fn result(is: &'static str, ids: Names, says: Names) -> ResultForm {
    ResultForm { is, ids, says }
}

/// What the function of a chat is, which several providers write in one way.
const FUNCTION: CallForm = call(
    "function.name function.arguments",
    "function.name",
    &["id"],
    "function.arguments",
);

pub(super) const SCHEMAS: &[Schema] = &[
    Schema {
        name: "Anthropic's messages and Claude Code's sessions",
        is: &[
            "role content",
            "messages=[*",
            "type=assistant|user message",
            "type=progress data",
            "type=system|summary|attachment|file-history-snapshot|queue-operation|last-prompt",
            "type=stream_event|content_block_*|message_*",
            "type=result result",
            "custom_id result.type",
        ],
        speaks: &["type=result result"],
        inside: &["message", "messages", "content", "text", "data", "result"],
        unread: &[
            "toolUseResult",
            "tool_use_result",
            "summary",
            "attachment",
            "normalizedMessages",
            "signature",
            "snapshot",
            "system",
            "lastPrompt",
        ],
        others: &[
            "type=user|system|summary|attachment|file-history-snapshot|queue-operation|last-prompt",
            "type=progress data.hookEvent",
            "type=web_search_tool_result|web_fetch_tool_result|search_result|document",
            "hookEvent",
        ],
        calls: &[call("type=tool_use input", "name", &["id"], "input")],
        results: &[
            result(
                "type=tool_result tool_use_id",
                &["tool_use_id"],
                &["content"],
            ),
            result("type=tool_result toolUseID", &["toolUseID"], &["run"]),
        ],
        cut: &["stop_reason=max_tokens|refusal|model_context_window_exceeded"],
        pieces: &["type=stream_event|content_block_*|*_delta"],
        directory: &["cwd"],
        before: "toolUseResult.originalFile",
        failed: &[
            "<tool_use_error>",
            "String to replace not found in file",
            "File has not been read yet",
            "File has been modified since read",
            "File has been unexpectedly modified",
            "InputValidationError",
            "Permission to use",
            "Claude requested permissions",
            "The user doesn't want to",
            "No replacement was performed",
            "[Request interrupted by user",
        ],
        ..NOTHING
    },
    Schema {
        name: "OpenAI's chat and responses, and Codex's rollouts and runs",
        is: &[
            "role content",
            "role tool_calls",
            "role function_call",
            "messages=[*",
            "tool_calls=[*",
            "choices=[*",
            "object=response|chat.completion*",
            "object=list data",
            "output=[*",
            "input=[* model",
            "custom_id response.body",
            "type=message role content",
            "type=response_item|session_meta|turn_context|event_msg|compacted payload",
            "type=thread.*|turn.*|item.*|error",
            "type=reasoning|response.*",
        ],
        speaks: &["type=agent_message", "text finish_reason"],
        inside: &[
            "choices",
            "message",
            "messages",
            "content",
            "text",
            "tool_calls",
            "function_call",
            "output",
            "input",
            "payload",
            "item",
            "items",
            "response",
            "body",
        ],
        unread: &[
            "instructions",
            "base_instructions",
            "user_instructions",
            "functions",
            "logprobs",
            "usage",
            "aggregated_output",
            "metadata",
            "info",
            "changes",
            "stdout",
            "stderr",
            "encrypted_content",
            "replacement_history",
        ],
        thoughts: &["reasoning", "reasoning_content", "refusal", "summary"],
        others: &["type=event_msg|session_meta|turn_context|compacted"],
        calls: &[
            FUNCTION,
            call(
                "custom.name custom.input",
                "custom.name",
                &["id"],
                "custom.input",
            ),
            call(
                "type=function_call|mcp_approval_request",
                "name",
                &["call_id"],
                "arguments",
            ),
            call("name arguments", "name", &["id", "call_id"], "arguments"),
            call("type=custom_tool_call", "name", &["call_id"], "input"),
            call("type=apply_patch_call", "type", &["call_id"], "operation"),
            call(
                "type=local_shell_call|shell_call",
                "type",
                &["call_id"],
                "action",
            ),
            CallForm {
                result: &["exit_code", "aggregated_output", "status"],
                ..call("type=command_execution", "type", &["id"], "command")
            },
            call("type=mcp_tool_call", "tool", &["id"], "arguments"),
            call("type=mcp_call", "name", &["id"], "arguments"),
            CallForm {
                result: &["status"],
                changes: true,
                ..call("type=file_change", "type", &["id"], "changes")
            },
        ],
        results: &[
            result("role=tool tool_call_id", &["tool_call_id"], &["content"]),
            result("role=function", &[], &["content"]),
            result(
                "type=function_call_output|custom_tool_call_output|apply_patch_call_output|local_shell_call_output|shell_call_output",
                &["call_id"],
                &["output"],
            ),
            result("type=exec_command_end|patch_apply_end", &["call_id"], &[]),
            result("type=mcp_approval_response", &["approval_request_id"], &[]),
        ],
        cut: &[
            "finish_reason=length|content_filter",
            "object=response status=incomplete|in_progress|queued|failed|cancelled",
            "type=message status=incomplete|in_progress",
        ],
        aborted: &["type=turn_aborted|turn.failed"],
        pieces: &["object=*.chunk", "type=*.delta", "delta"],
        alternatives: &["choices"],
        directory: &["payload.cwd"],
        failed: &[
            "apply_patch verification failed",
            "patch rejected",
            "aborted by user",
            "Exit code: #",
            "Process exited with code #",
            "Script failed",
            "Script error",
            "execution error",
            "unsupported call",
            "unsupported custom tool call",
            "exec_command failed",
            "Command blocked",
            "invalid patch",
            "The user chose to skip",
            "Tool execution was not approved",
            "An error occurred",
            "<returncode>#",
        ],
        ..NOTHING
    },
    Schema {
        name: "Gemini's API and command line",
        is: &[
            "candidates=[*",
            "contents=[*",
            "history=[*",
            "role parts=[*",
            "messages=[*",
            "type=gemini",
            "type=user content timestamp",
            "type=message role content timestamp",
            "type=init session_id",
            "response stats",
        ],
        speaks: &["candidates", "type=gemini", "response stats"],
        inside: &[
            "candidates",
            "content",
            "contents",
            "history",
            "messages",
            "parts",
            "text",
            "toolCalls",
            "response",
        ],
        unread: &["systemInstruction", "system_instruction", "stats"],
        drafts: &["thought=true"],
        thoughts: &["thoughts", "thoughtSignature"],
        others: &["type=user|info|error|warning"],
        calls: &[
            call(
                "functionCall",
                "functionCall.name",
                &["functionCall.id"],
                "functionCall.args",
            ),
            CallForm {
                result: &["status", "result"],
                ..call("name args status", "name", &["id"], "args")
            },
            call(
                "tool_name parameters",
                "tool_name",
                &["tool_id"],
                "parameters",
            ),
        ],
        results: &[
            result(
                "functionResponse",
                &["functionResponse.id"],
                &["functionResponse.response"],
            ),
            result("type=tool_result tool_id", &["tool_id"], &["output"]),
        ],
        cut: &[
            "finishReason=MAX_TOKENS|SAFETY|RECITATION|BLOCKLIST|PROHIBITED_CONTENT|SPII|LANGUAGE|OTHER|MALFORMED_FUNCTION_CALL",
        ],
        pieces: &["delta=true", "content.role=model !finishReason"],
        alternatives: &["candidates"],
        failed: &["Exit Code: #"],
        ..NOTHING
    },
    Schema {
        name: "OpenCode's sessions and runs",
        is: &[
            "info parts=[*",
            "info messages=[*",
            "type=tool_use|text|reasoning|step_* part.type",
            "type=message.* properties",
            "parts=[*",
        ],
        speaks: &["info.role=assistant", "part"],
        inside: &["messages", "parts", "part", "properties", "text"],
        unread: &["info", "metadata", "snapshot", "files"],
        others: &["info.role=user"],
        calls: &[CallForm {
            result: &["state"],
            begun: "state.status=pending|running",
            ..call("type=tool state.input", "tool", &["callID"], "state.input")
        }],
        cut: &["info.finish=length", "info.error"],
        directory: &["info.path.cwd", "info.directory", "path.cwd"],
        ..NOTHING
    },
    Schema {
        name: "pi's sessions",
        is: &[
            "type=session cwd",
            "type=message message.role",
            "messages=[*",
            "type=message_end|turn_end message",
            "type=agent_end messages",
            "role content",
        ],
        inside: &["message", "messages", "content", "text", "toolResults"],
        unread: &["summary", "details"],
        others: &["role=custom|bashExecution|branchSummary|compactionSummary"],
        calls: &[call("type=toolCall", "name", &["id"], "arguments")],
        results: &[result("role=toolResult", &["toolCallId"], &["content"])],
        cut: &["stopReason=length|error|aborted"],
        directory: &["cwd"],
        ..NOTHING
    },
    Schema {
        name: "Copilot's events",
        is: &["type=assistant.*|user.*|tool.*|session.*|system.*|hook.*|abort data"],
        aborted: &["type=abort"],
        speaks: &["type=assistant.message"],
        inside: &["data", "toolRequests", "content"],
        unread: &["transformedContent", "result", "toolTelemetry"],
        thoughts: &["reasoningText", "reasoningOpaque"],
        others: &["type=user.*|session.*|system.*|hook.*|abort"],
        calls: &[
            call(
                "toolCallId name arguments",
                "name",
                &["toolCallId"],
                "arguments",
            ),
            CallForm {
                begun: "toolName",
                ..call(
                    "toolCallId toolName arguments",
                    "toolName",
                    &["toolCallId"],
                    "arguments",
                )
            },
        ],
        results: &[result("toolCallId success", &["toolCallId"], &["result"])],
        directory: &["data.context.cwd", "data.cwd"],
        ..NOTHING
    },
    Schema {
        name: "Cline's messages",
        is: &["role content"],
        inside: &["content", "text"],
        failed: &[
            "The tool execution failed",
            "The user denied",
            "Skipping tool [",
            "Tool [",
            "<error_details>",
            "[ERROR]",
        ],
        ..NOTHING
    },
    Schema {
        name: "OpenHands' events",
        is: &[
            "action args",
            "source observation",
            "kind=*Event|*Observation source",
            "history=[*",
            "events=[*",
        ],
        inside: &["history", "events", "llm_message", "content", "text"],
        unread: &[
            "extras",
            // An event tells its call twice.
            "tool_call",
            "tool_call_metadata",
            "llm_metrics",
            "system_prompt",
        ],
        thoughts: &["thought", "reasoning_content"],
        others: &["source=user|environment"],
        calls: &[
            call(
                "action=edit|write|run|run_ipython|call_tool_mcp args",
                "action",
                &["tool_call_metadata.tool_call_id", "id"],
                "args",
            ),
            call(
                "kind=ActionEvent tool_call_id",
                "tool_name",
                &["tool_call_id"],
                "action",
            ),
        ],
        results: &[
            result(
                "observation cause",
                &["tool_call_metadata.tool_call_id", "cause"],
                &["content", "extras.metadata"],
            ),
            result(
                "kind=ObservationEvent|UserRejectObservation|AgentErrorEvent tool_call_id",
                &["tool_call_id"],
                &["observation"],
            ),
        ],
        failed: &["[The command completed with exit code #"],
        ..NOTHING
    },
    Schema {
        name: "Bedrock's conversations",
        is: &[
            "output.message",
            "role content",
            "messages=[*",
            "contentBlockDelta",
        ],
        inside: &["output", "message", "messages", "content", "text"],
        unread: &["toolConfig", "metrics"],
        drafts: &["reasoningContent"],
        calls: &[call(
            "toolUse",
            "toolUse.name",
            &["toolUse.toolUseId"],
            "toolUse.input",
        )],
        results: &[result(
            "toolResult",
            &["toolResult.toolUseId"],
            &["toolResult"],
        )],
        cut: &["stopReason=max_tokens|guardrail_intervened|content_filtered|malformed_*"],
        pieces: &["contentBlockDelta"],
        ..NOTHING
    },
    Schema {
        name: "Ollama's messages",
        is: &[
            "message done",
            "message done_reason",
            "model response done",
            "role content",
            "messages=[*",
        ],
        speaks: &["model response done"],
        inside: &["message", "messages", "content", "response", "tool_calls"],
        unread: &["context", "template"],
        calls: &[FUNCTION],
        results: &[result("role=tool", &[], &["content"])],
        cut: &["done_reason=length"],
        pieces: &["done=false"],
        ..NOTHING
    },
    Schema {
        name: "MCP's calls of tools",
        is: &["jsonrpc"],
        unread: &["params", "result", "error"],
        calls: &[call(
            "jsonrpc method=tools/call params.name",
            "params.name",
            &["id"],
            "params.arguments",
        )],
        results: &[
            result("jsonrpc result", &["id"], &["result"]),
            result("jsonrpc error", &["id"], &[]),
        ],
        ..NOTHING
    },
    Schema {
        name: "hooks' payloads",
        is: &["tool_name tool_input", "hook_event_name"],
        unread: &["tool_response"],
        others: &["hook_event_name=Post*|After*|after*"],
        results: &[result(
            "hook_event_name=Post*|After*|after* tool_input",
            &["tool_use_id"],
            &["tool_response"],
        )],
        calls: &[call(
            "tool_name tool_input",
            "tool_name",
            &["tool_use_id"],
            "tool_input",
        )],
        directory: &["cwd"],
        ..NOTHING
    },
    Schema {
        name: REVIEW,
        is: &["diff_hunk body path"],
        unread: &["body", "diff_hunk"],
        others: &["diff_hunk body path"],
        ..NOTHING
    },
    // A call by itself, as a model that is told to answer with JSON gives it.
    Schema {
        name: "a call",
        calls: &[
            call("name arguments", "name", &["id", "call_id"], "arguments"),
            call("name args", "name", &["id", "call_id"], "args"),
            call("name parameters", "name", &["id", "call_id"], "parameters"),
            call("name input", "name", &["id", "call_id"], "input"),
            call(
                "tool_name arguments",
                "tool_name",
                &["id", "call_id"],
                "arguments",
            ),
            call("tool arguments", "tool", &["id", "call_id"], "arguments"),
        ],
        ..NOTHING
    },
];

/// The review comments of GitHub.
pub(super) const REVIEW: &str = "GitHub's review comments";

const RESULT: Names = &["result", "output", "error"];
