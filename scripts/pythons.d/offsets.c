// Where a version of CPython from 3.8 to 3.12 keeps what internal/probe/python reads, from its own headers. It is only compiled, to assembly:
// scripts/pythons prints the numbers in it.
#define Py_BUILD_CORE 1
#include <Python.h>
#include <frameobject.h>
#include <stddef.h>
#if PY_VERSION_HEX < 0x03090000
#include "internal/pycore_pystate.h"
#else
#include "internal/pycore_interp.h"
#include "internal/pycore_runtime.h"
#endif
#if PY_VERSION_HEX >= 0x030b0000
#include "internal/pycore_code.h"
#include "internal/pycore_frame.h"
#endif

#define NUMBER(name, value) unsigned long number_##name = (value)
#define AT(name, type, member) NUMBER(name, offsetof(type, member))

AT(runtime_interpreters, _PyRuntimeState, interpreters.head);
AT(interpreter_next, PyInterpreterState, next);
AT(thread_next, PyThreadState, next);
AT(thread_interpreter, PyThreadState, interp);
AT(thread_id, PyThreadState, thread_id);
#if PY_VERSION_HEX < 0x030b0000
AT(interpreter_threads, PyInterpreterState, tstate_head);
AT(thread_frame, PyThreadState, frame);
AT(frame_back, PyFrameObject, f_back);
AT(frame_code, PyFrameObject, f_code);
AT(frame_instruction, PyFrameObject, f_lasti);
#else
AT(interpreter_threads, PyInterpreterState, threads.head);
AT(thread_frame, PyThreadState, cframe);
AT(current, _PyCFrame, current_frame);
AT(thread_native, PyThreadState, native_thread_id);
AT(frame_back, _PyInterpreterFrame, previous);
AT(frame_code, _PyInterpreterFrame, f_code);
AT(frame_instruction, _PyInterpreterFrame, prev_instr);
AT(frame_owner, _PyInterpreterFrame, owner);
AT(code_instructions, PyCodeObject, co_code_adaptive);
#endif
#if PY_VERSION_HEX < 0x030c0000
AT(gil_inRuntime, _PyRuntimeState, ceval.gil.last_holder);
NUMBER(gil_locked, offsetof(_PyRuntimeState, ceval.gil.locked) - offsetof(_PyRuntimeState, ceval.gil.last_holder));
#else
AT(gil_pointer, PyInterpreterState, ceval.gil);
AT(gil_holder, struct _gil_runtime_state, last_holder);
AT(gil_locked, struct _gil_runtime_state, locked);
#endif
AT(code_file, PyCodeObject, co_filename);
AT(code_name, PyCodeObject, co_name);
AT(code_firstLine, PyCodeObject, co_firstlineno);
#if PY_VERSION_HEX < 0x030a0000
AT(code_table, PyCodeObject, co_lnotab);
#else
AT(code_table, PyCodeObject, co_linetable);
#endif
AT(typ, PyObject, ob_type);
AT(bytes_size, PyVarObject, ob_size);
AT(bytes_data, PyBytesObject, ob_sval);
AT(text_length, PyASCIIObject, length);
AT(text_state, PyASCIIObject, state);
NUMBER(text_ascii, sizeof(PyASCIIObject));
NUMBER(text_compact, sizeof(PyCompactUnicodeObject));
