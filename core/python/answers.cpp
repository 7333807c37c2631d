#include "python/answers.hpp"

#include <new>
#include <stdexcept>
#include <utility>

#include "python/bindings.hpp"

namespace nb = nanobind;

namespace dconvex::python {
namespace {

// Numbers that Python can look at; they are its own, or part of those of another one.
struct Numbers {
    ResultBuffer own;
    nb::object whole;
    std::span<double> span;
};

struct Answer {
    PyObject_HEAD PyObject *variables, *labels;
    PyObject* evidence;  // or null
    PyObject* whole;     // the `Numbers` that it is a part of, or null
    PyObject* numbers;   // its `Numbers`, once they were looked at, or null
    ResultBuffer own;    // moves to them
    std::span<double> span;
};

Answer* as_answer(PyObject* object) { return reinterpret_cast<Answer*>(object); }

int get_buffer(PyObject* own, Py_buffer* view, int flags) {
    const std::span<double> numbers = nb::inst_ptr<Numbers>(own)->span;
    // The format and the shape have to outlive the view.
    static Py_ssize_t stride = sizeof(double);
    static char format[] = "d";
    if (PyBuffer_FillInfo(view, own, numbers.data(), static_cast<Py_ssize_t>(numbers.size_bytes()), 0, flags) < 0) return -1;
    view->itemsize = stride;
    if (flags & PyBUF_FORMAT) view->format = format;
    if ((flags & PyBUF_STRIDES) == PyBUF_STRIDES) view->strides = &stride;
    if ((flags & PyBUF_ND) == PyBUF_ND) {
        auto* shape = new Py_ssize_t(static_cast<Py_ssize_t>(numbers.size()));
        view->shape = shape;
        view->internal = shape;
    }
    return 0;
}

void release_buffer(PyObject*, Py_buffer* view) { delete static_cast<Py_ssize_t*>(view->internal); }

// Memory comes zeroed, which is what an answer about nothing has.
PyObject* new_answer(PyTypeObject* type, PyObject*, PyObject*) { return PyType_GenericAlloc(type, 0); }

void delete_answer(PyObject* object) {
    Answer* const answer = as_answer(object);
    Py_CLEAR(answer->variables);
    Py_CLEAR(answer->labels);
    Py_CLEAR(answer->evidence);
    Py_CLEAR(answer->whole);
    Py_CLEAR(answer->numbers);
    answer->own.~ResultBuffer();
    PyTypeObject* const type = Py_TYPE(object);
    const auto release = reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free));
    release(object);
    Py_DECREF(type);
}

PyObject* get_object(PyObject* object, void* member) {
    PyObject* const found = as_answer(object)->*(*static_cast<PyObject * Answer::**>(member));
    if (!found) PyErr_SetString(PyExc_AttributeError, "this answer is about nothing");
    return Py_XNewRef(found);
}

int set_object(PyObject* object, PyObject* value, void* member) {
    PyObject*& place = as_answer(object)->*(*static_cast<PyObject * Answer::**>(member));
    PyObject* const before = std::exchange(place, Py_XNewRef(value));  // Py_XSETREF is not in the stable ABI
    Py_XDECREF(before);
    return 0;
}

PyObject* get_evidence(PyObject* object, void*) {
    PyObject* const found = as_answer(object)->evidence;
    return Py_NewRef(found ? found : Py_None);
}

// The numbers become an object of their own, so that an array of them need not keep the answer that keeps the array.
PyObject* get_numbers(PyObject* object, void*) {
    Answer* const answer = as_answer(object);
    const nb::ft_object_guard guard(object);
    if (!answer->numbers) {
        try {
            nb::object made = nb::cast(Numbers{ResultBuffer(), nb::borrow(answer->whole), answer->span});
            nb::inst_ptr<Numbers>(made)->own = std::move(answer->own);
            answer->numbers = made.release().ptr();
        } catch (const std::bad_alloc&) {
            return PyErr_NoMemory();
        }
    }
    return Py_NewRef(answer->numbers);
}

PyObject* Answer::* variables_member = &Answer::variables;
PyObject* Answer::* labels_member = &Answer::labels;
PyObject* Answer::* evidence_member = &Answer::evidence;

PyGetSetDef members[] = {
    {"variables", get_object, set_object, "What it is about.", &variables_member},
    {"labels", get_object, set_object, "The states of each variable.", &labels_member},
    {"evidence", get_evidence, set_object, "What it was computed given, or None.", &evidence_member},
    {"numbers", get_numbers, nullptr, "Its numbers, which offer themselves as a buffer.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(new_answer)},
    {Py_tp_dealloc, reinterpret_cast<void*>(delete_answer)},
    {Py_tp_getset, members},
    {0, nullptr},
};
PyType_Spec spec = {"dconvex._core.Answer", sizeof(Answer), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

}  // namespace

AnswerMaker::AnswerMaker(nb::handle answer_type) : type_(nb::borrow(answer_type)) {
    const nb::object base = nb::module_::import_("dconvex._core").attr("Answer");
    if (!PyType_Check(type_.ptr()) || PyObject_IsSubclass(type_.ptr(), base.ptr()) != 1) {
        PyErr_Clear();
        throw std::invalid_argument("answers are of a class that inherits from Answer");
    }
    allocate_ = reinterpret_cast<Allocate>(PyType_GetSlot(reinterpret_cast<PyTypeObject*>(type_.ptr()), Py_tp_alloc));
}

nb::object AnswerMaker::make_empty(nb::object variables, nb::object labels, nb::handle evidence) const {
    nb::object made = nb::steal(allocate_(reinterpret_cast<PyTypeObject*>(type_.ptr()), 0));
    if (!made.is_valid()) throw nb::python_error();
    as_answer(made.ptr())->variables = variables.release().ptr();
    as_answer(made.ptr())->labels = labels.release().ptr();
    as_answer(made.ptr())->evidence = Py_XNewRef(evidence.ptr());
    return made;
}

nb::object AnswerMaker::make(nb::object variables, nb::object labels, nb::handle evidence, ResultBuffer numbers) const {
    nb::object made = make_empty(std::move(variables), std::move(labels), evidence);
    Answer* const answer = as_answer(made.ptr());
    answer->span = numbers.numbers();
    new (&answer->own) ResultBuffer(std::move(numbers));
    return made;
}

nb::object AnswerMaker::make_part(nb::object variables, nb::object labels, nb::handle evidence, nb::handle whole,
                                  std::span<double> numbers) const {
    nb::object made = make_empty(std::move(variables), std::move(labels), evidence);
    as_answer(made.ptr())->whole = nb::borrow(whole).release().ptr();
    as_answer(made.ptr())->span = numbers;
    return made;
}

nb::object share(ResultBuffer numbers) {
    const std::span<double> span = numbers.numbers();
    return nb::cast(Numbers{std::move(numbers), nb::object(), span});
}

void bind_answers(nb::module_& module) {
    PyType_Slot buffer[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
                            {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
                            {0, nullptr}};
    nb::class_<Numbers>(module, "Numbers", nb::type_slots(buffer)).def("__len__", [](const Numbers& own) {
        return own.span.size();
    });
    const nb::object type = nb::steal(PyType_FromSpec(&spec));
    if (!type.is_valid()) throw nb::python_error();
    module.attr("Answer") = type;
}

}  // namespace dconvex::python
